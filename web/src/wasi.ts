/* The part of WASI (preview 1) that the module calls: files from memory, nothing else. There is one folder, `/`, and nothing can be written
 * but standard output and error, whose lines go to `print`. */

const OK = 0, EBADF = 8, EINVAL = 28, ENOENT = 44, ENOSYS = 52, EROFS = 69;
const FOLDER = 3, FIRST_FILE = 4; /* file descriptors */
const REGULAR = 4, DIRECTORY = 3, CHARACTERS = 2; /* kinds of files */
const CREATES_OR_TRUNCATES = 1 | 8; /* flags of path_open */

export class Exit extends Error {
    constructor(readonly status: number) {
        super(`the module ended with status ${status}`);
    }
}

type Open = { bytes: Uint8Array; at: number };
export type Files = { get(name: string): Uint8Array | undefined }; /* by their names below `/`, for example a Map */

export class Wasi {
    memory!: WebAssembly.Memory; /* set once there is an instance */
    private readonly open = new Map<number, Open>();
    private next = FIRST_FILE;
    private line = "";

    constructor(private readonly files: Files, private readonly print: (line: string) => void) {}

    private view(): DataView {
        return new DataView(this.memory.buffer);
    }

    private text(at: number, length: number): string {
        return new TextDecoder().decode(new Uint8Array(this.memory.buffer, at, length));
    }

    private write(bytes: Uint8Array): void {
        const lines = (this.line + new TextDecoder().decode(bytes)).split("\n");
        this.line = lines.pop() ?? "";
        lines.forEach(this.print);
    }

    /* Calls `each` with the buffers of a list in memory, until it returns fewer bytes than it could. Returns the sum. */
    private buffers(list: number, count: number, each: (bytes: Uint8Array) => number): number {
        let sum = 0;
        for (let i = 0; i < count; i++) {
            const at = this.view().getUint32(list + 8 * i, true), length = this.view().getUint32(list + 8 * i + 4, true);
            const done = each(new Uint8Array(this.memory.buffer, at, length));
            sum += done;
            if (done < length)
                break;
        }
        return sum;
    }

    private stat(at: number, kind: number, size: number): number {
        new Uint8Array(this.memory.buffer, at, 64).fill(0);
        this.view().setUint8(at + 16, kind);
        this.view().setBigUint64(at + 32, BigInt(size), true);
        return OK;
    }

    private read(fd: number, list: number, count: number, done: number): number {
        const file = this.open.get(fd);
        if (file === undefined)
            return EBADF;
        const sum = this.buffers(list, count, to => {
            const part = file.bytes.subarray(file.at, file.at + to.length);
            to.set(part);
            file.at += part.length;
            return part.length;
        });
        this.view().setUint32(done, sum, true);
        return OK;
    }

    private seek(fd: number, offset: bigint, whence: number, result: number): number {
        const file = this.open.get(fd);
        if (file === undefined)
            return EBADF;
        const at = Number(offset) + [0, file.at, file.bytes.length][whence]!;
        if (at < 0)
            return EINVAL;
        file.at = at;
        this.view().setBigUint64(result, BigInt(at), true);
        return OK;
    }

    private find(path: string): Uint8Array | undefined {
        return this.files.get(path.replace(/^(\.?\/)+/, ""));
    }

    private openPath(path: string, flags: number, result: number): number {
        const bytes = this.find(path);
        if ((flags & CREATES_OR_TRUNCATES) !== 0)
            return EROFS;
        if (bytes === undefined)
            return ENOENT;
        this.open.set(this.next, { bytes, at: 0 });
        this.view().setUint32(result, this.next++, true);
        return OK;
    }

    private describe(fd: number, at: number): number {
        const kind = fd < FOLDER ? CHARACTERS : fd === FOLDER ? DIRECTORY : REGULAR;
        if (fd >= FIRST_FILE && !this.open.has(fd))
            return EBADF;
        new Uint8Array(this.memory.buffer, at, 24).fill(0);
        this.view().setUint8(at, kind);
        this.view().setBigUint64(at + 8, 0xffffffffn, true); /* all rights: what is not there is refused by its function */
        this.view().setBigUint64(at + 16, 0xffffffffn, true);
        return OK;
    }

    imports(names: WebAssembly.ModuleImportDescriptor[]): WebAssembly.ModuleImports {
        const none = (count: number, size: number): number => {
            this.view().setUint32(count, 0, true);
            this.view().setUint32(size, 0, true);
            return OK;
        };
        const known: Record<string, (...args: any[]) => number> = {
            args_sizes_get: none,
            args_get: () => OK,
            environ_sizes_get: none,
            environ_get: () => OK,
            clock_time_get: (_clock: number, _precision: bigint, at: number) => {
                this.view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
                return OK;
            },
            fd_close: (fd: number) => this.open.delete(fd) ? OK : EBADF,
            fd_fdstat_get: (fd: number, at: number) => this.describe(fd, at),
            fd_fdstat_set_flags: () => OK,
            fd_filestat_get: (fd: number, at: number) => {
                const file = this.open.get(fd);
                return file === undefined ? EBADF : this.stat(at, REGULAR, file.bytes.length);
            },
            fd_prestat_get: (fd: number, at: number) => {
                if (fd !== FOLDER)
                    return EBADF;
                this.view().setUint32(at, 0, true);
                this.view().setUint32(at + 4, 1, true);
                return OK;
            },
            fd_prestat_dir_name: (_fd: number, at: number) => {
                this.view().setUint8(at, "/".charCodeAt(0));
                return OK;
            },
            fd_read: (fd: number, list: number, count: number, done: number) => this.read(fd, list, count, done),
            fd_seek: (fd: number, offset: bigint, whence: number, result: number) => this.seek(fd, offset, whence, result),
            fd_write: (_fd: number, list: number, count: number, done: number) => {
                const sum = this.buffers(list, count, bytes => (this.write(bytes.slice()), bytes.length));
                this.view().setUint32(done, sum, true);
                return OK;
            },
            path_open: (_fd: number, _look: number, path: number, length: number, flags: number, _rights: bigint, _inherit: bigint,
                        _fdflags: number, result: number) => this.openPath(this.text(path, length), flags, result),
            path_filestat_get: (_fd: number, _look: number, path: number, length: number, at: number) => {
                const bytes = this.find(this.text(path, length));
                return bytes === undefined ? ENOENT : this.stat(at, REGULAR, bytes.length);
            },
            proc_exit: (status: number) => {
                throw new Exit(status);
            },
        };
        return Object.fromEntries(names.filter(n => n.module === "wasi_snapshot_preview1").map(n => [n.name, known[n.name] ?? (() => ENOSYS)]));
    }
}
