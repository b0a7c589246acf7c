-- tools/wireshark/weir.lua - Weir's packets in Wireshark and tshark; the format is doc/wire.md's.
--
--   tshark -X lua_script:tools/wireshark/weir.lua -r capture.pcap
--   cp tools/wireshark/weir.lua ~/.local/lib/wireshark/plugins/     (then it is always there)
--
-- Packets to or from the port of the preference weir.port are taken for Weir's; those of other ports if version, type and
-- checksum say so.

local weir = Proto("weir", "Weir")
weir.prefs.port = Pref.uint("UDP port", 7413, "Datagrams of this port are Weir's, whatever they look like; 0 = none")

local VERSION, FRONT_BYTES, HEAD_END = 4, 4, 45 -- the front before the area; the head of most message packets, from the area's end on
local DATA, ACK, REPLY, REQUEST, CREDIT, DONE, CONTROL, ABORT, NOTICE, SYN, SYN_ACK = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
local STREAM = 16 -- DATA of sender-driven protocols
local HELLO, COOKIE, OPEN, READY, RESET, REFUSE, VERSIONS, PING, PONG, CLOSE = 32, 33, 34, 35, 36, 37, 38, 39, 41, 43
local CHALLENGE, RESPONSE = 45, 47
local TYPES = {
    [DATA] = "DATA", [ACK] = "ACK", [REPLY] = "REPLY", [REQUEST] = "REQUEST", [CREDIT] = "CREDIT", [DONE] = "DONE",
    [CONTROL] = "CONTROL", [ABORT] = "ABORT", [NOTICE] = "NOTICE", [SYN] = "SYN", [SYN_ACK] = "SYN-ACK", [STREAM] = "STREAM",
    [HELLO] = "HELLO", [COOKIE] = "COOKIE", [OPEN] = "OPEN", [READY] = "READY", [RESET] = "RESET", [REFUSE] = "REFUSE",
    [VERSIONS] = "VERSIONS", [PING] = "PING", [PONG] = "PONG", [CLOSE] = "CLOSE",
    [CHALLENGE] = "CHALLENGE", [RESPONSE] = "RESPONSE",
}
-- of the endpoint's own packets: least and greatest length
local OWN_BYTES = { [HELLO] = { 64, 65507 }, [COOKIE] = { 36, 36 }, [OPEN] = { 512, 512 }, [READY] = { 40, 508 }, [RESET] = { 24, 24 },
    [REFUSE] = { 32, 32 }, [VERSIONS] = { 28, 28 }, [PING] = { 32, 32 }, [PONG] = { 32, 32 }, [CLOSE] = { 24, 24 },
    [CHALLENGE] = { 32, 32 }, [RESPONSE] = { 32, 32 } }
-- the same of those with keys
local KEYED_BYTES = { [HELLO] = { 100, 65507 }, [OPEN] = { 512, 512 }, [READY] = { 124, 508 } }
local PROTECTIONS = { [0] = "none", [1] = "mac", [2] = "aead" }
local CIPHERS = { [0] = "none", [1] = "AES-256-GCM", [2] = "ChaCha20-Poly1305" }
local TAG_BYTES = 16 -- at the end of a sealed packet
-- bit of the flags, its name, what it says
local FLAGS = {
    { 0x01, "ect", "May be marked" }, { 0x02, "cwr", "The sender has reduced its window (SYN: can do ECN)" },
    { 0x04, "ece", "What it answers was marked" }, { 0x08, "end", "Last packet of its message" },
    { 0x10, "retx", "Sent again (CREDIT, ACK: send again)" }, { 0x20, "own", "The protocol's own bit (SIRD: csn); CONTROL: of its receiver's message" },
    { 0x40, "unsched", "Went without credit" }, { 0x80, "checked", "Payload under the checksum" },
}
-- which a type may have besides the last; the others none
local KIND_FLAGS = { [DATA] = 0x79, [ACK] = 0x1c, [CREDIT] = 0x10, [CONTROL] = 0x20, [SYN] = 0x16, [SYN_ACK] = 0x04, [STREAM] = 0x1b }
local HEAD_KINDS = { [1] = "one-way", [2] = "call", [3] = "reply", [4] = "one-way, answered when released" }
local AREA_KINDS = { [0] = "none", [1] = "delay in 64 ns", [2] = "delay in us", [3] = "RCP" }
local NOTICES = { [0xff00] = "NO_ROOM", [0xff01] = "ROOM" }

local f = weir.fields
f.version = ProtoField.uint8("weir.version", "Version", base.DEC, nil, 0xf0)
f.class = ProtoField.uint8("weir.class", "Class (0 = most urgent)", base.DEC, nil, 0x0e)
f.own = ProtoField.bool("weir.own", "The endpoint's own packet", 8, nil, 0x01)
f.type = ProtoField.uint8("weir.type", "Type", base.DEC, TYPES)
f.area_kind = ProtoField.uint8("weir.area.kind", "Kind of the switch area", base.DEC, AREA_KINDS, 0xe0)
f.area_slots = ProtoField.uint8("weir.area.slots", "Slots of the switch area", base.DEC, nil, 0x1f)
f.phase = ProtoField.uint8("weir.phase", "Key phase", base.DEC)
f.area = ProtoField.none("weir.area", "Switch area")
f.area_delay = ProtoField.uint16("weir.area.delay", "Delay, in units of the kind")
f.area_byte = ProtoField.uint8("weir.area.byte", "Weight, round trip, or records written")
f.area_tokens = ProtoField.uint8("weir.area.tokens", "Tokens", base.DEC, nil, 0xe0)
f.area_ece = ProtoField.bool("weir.area.ece", "Marked on its way back", 8, nil, 0x10)
f.slot = ProtoField.none("weir.slot", "Record")
f.slot_time = ProtoField.uint64("weir.slot.time_ns", "Clock of the switch (ns)")
f.slot_rate = ProtoField.uint24("weir.slot.rate", "Rate of the link (100 kb/s)")
f.slot_sent = ProtoField.uint64("weir.slot.sent_bytes", "Bytes that the port has sent")
f.slot_queue = ProtoField.uint24("weir.slot.queue_bytes", "Bytes that wait at the port")
f.token = ProtoField.uint64("weir.token", "Token", base.HEX)
f.counter = ProtoField.uint64("weir.counter", "Number of the datagram")
f.checksum = ProtoField.uint32("weir.checksum", "Checksum", base.HEX)
f.checksum_status = ProtoField.string("weir.checksum.status", "Checksum status")
f.flags = ProtoField.uint8("weir.flags", "Flags", base.HEX)
for _, flag in ipairs(FLAGS) do
    f["flag_" .. flag[2]] = ProtoField.bool("weir.flags." .. flag[2], flag[3], 8, nil, flag[1])
end
f.conn = ProtoField.uint32("weir.conn", "Message number (sender-driven: connection)")
f.msg = ProtoField.uint32("weir.msg", "Sender's handle")
f.seq = ProtoField.uint32("weir.seq", "Packet of the message")
f.ack = ProtoField.uint32("weir.ack", "Acknowledged below")
f.first = ProtoField.uint32("weir.first", "First packet of the message")
f.number = ProtoField.uint32("weir.number", "The protocol's number (SIRD: total of credit, mod 2^32)")
f.kind = ProtoField.uint32("weir.kind", "The protocol's kind (SIRD: 0 state, 1 ask)")
f.notice = ProtoField.uint32("weir.notice", "Kind of the notice", base.HEX, NOTICES)
f.more = ProtoField.uint32("weir.more", "Packets credited besides the first")
f.grant_class = ProtoField.uint32("weir.grant_class", "Class that those should have")
f.value = ProtoField.uint64("weir.value", "Value", base.HEX)
f.own_tag = ProtoField.uint16("weir.own_tag", "Tag of the sender", base.HEX)
f.unsched = ProtoField.uint16("weir.unsched", "Packets that go without credit")
f.bytes = ProtoField.uint64("weir.bytes", "Bytes of the message")
f.sent_ps = ProtoField.uint64("weir.sent_ps", "Sent at (ps)")
f.unused = ProtoField.uint64("weir.unused", "Not used by this type", base.HEX)
f.ranges = ProtoField.uint8("weir.ranges", "Ranges", base.DEC, nil, 0xf0)
f.records = ProtoField.uint8("weir.records", "Records", base.DEC, nil, 0x0f)
f.share = ProtoField.uint16("weir.share", "Flows that share the receiver")
f.hold_ns = ProtoField.uint32("weir.hold_ns", "Held by the receiver (ns)")
f.marked_bytes = ProtoField.uint32("weir.marked_bytes", "Newly acknowledged and marked (bytes)")
f.window_kib = ProtoField.uint32("weir.window_kib", "Room at the receiver (KiB; ffffffff = not said)")
f.range_start = ProtoField.uint32("weir.range.start", "Arrived from packet")
f.range_pkts = ProtoField.uint32("weir.range.packets", "Packets")
f.payload = ProtoField.bytes("weir.payload", "Payload")
f.head_kind = ProtoField.uint8("weir.head.kind", "Message kind", base.DEC, HEAD_KINDS)
f.head_zero = ProtoField.uint24("weir.head.reserved", "Reserved", base.HEX)
f.head_result = ProtoField.uint32("weir.head.result", "Result of the call (above 1024: error of the application)")
f.head_rpc = ProtoField.uint64("weir.head.rpc", "Call", base.HEX)
f.offer_version = ProtoField.uint8("weir.offer.version", "Offered version")
f.protection = ProtoField.uint8("weir.protection", "Protection", base.DEC, PROTECTIONS)
f.cipher = ProtoField.uint8("weir.cipher", "Cipher", base.DEC, CIPHERS)
f.key_number = ProtoField.uint16("weir.key_number", "Number of the key")
f.mac = ProtoField.bytes("weir.mac", "MAC under the key")
f.ephemeral = ProtoField.bytes("weir.ephemeral", "Public key of this handshake")
f.noise = ProtoField.bytes("weir.noise", "Rest of the Noise message")
f.tag = ProtoField.bytes("weir.tag", "Tag")
f.encrypted = ProtoField.bytes("weir.encrypted", "Payload, perhaps encrypted")
f.ports = ProtoField.uint8("weir.ports", "Ports that it sends from")
f.mss = ProtoField.uint16("weir.mss", "Payload of a full packet")
f.law_bytes = ProtoField.uint16("weir.law_bytes", "Length of the law's text")
f.law = ProtoField.string("weir.law", "Protocol and keys")
f.own_token = ProtoField.uint64("weir.own_token", "Sender's own token (0 = refused)", base.HEX)
f.cookie = ProtoField.uint64("weir.cookie", "Cookie", base.HEX)
f.epoch = ProtoField.uint32("weir.epoch", "Epoch of the cookie")
f.lowest = ProtoField.uint8("weir.lowest", "Lowest version")
f.highest = ProtoField.uint8("weir.highest", "Highest version")
f.padding = ProtoField.bytes("weir.padding", "Padding")

local e = weir.experts
e.checksum = ProtoExpert.new("weir.checksum.bad", "Bad checksum", expert.group.CHECKSUM, expert.severity.ERROR)
e.version = ProtoExpert.new("weir.version.other", "Another version", expert.group.PROTOCOL, expert.severity.WARN)
e.type = ProtoExpert.new("weir.type.unknown", "Unknown type", expert.group.MALFORMED, expert.severity.ERROR)
e.length = ProtoExpert.new("weir.length.bad", "No length of this type", expert.group.MALFORMED, expert.severity.ERROR)
e.reserved = ProtoExpert.new("weir.reserved.set", "A reserved bit is set", expert.group.MALFORMED, expert.severity.ERROR)

-- CRC-32C, byte by byte
local crc_table = {}
for i = 0, 255 do
    local crc = i
    for _ = 1, 8 do
        local low = bit.band(crc, 1)
        crc = bit.rshift(crc, 1)
        if low == 1 then crc = bit.bxor(crc, 0x82f63b78) end
    end
    crc_table[i] = crc
end

-- Where the area ends.
local function area_end(tvb)
    local area = tvb(2, 1):uint()
    return FRONT_BYTES + (area >= 0x20 and 4 + 16 * bit.band(area, 0x1f) or 0)
end

-- Length of the header: up to the payload, if the type has one.
local function head_bytes(tvb, type)
    local after = area_end(tvb)
    if type == STREAM then return after + 51 end
    if type ~= ACK or tvb:captured_len() <= after + HEAD_END then return after + HEAD_END end
    local counts = tvb(after + 45, 1):uint()
    return after + 60 + 8 * bit.rshift(counts, 4) + 16 * bit.band(counts, 15)
end

-- of the first `covered` bytes but the area, as if the checksum field were 0
local function crc32c(tvb, covered)
    local bytes, after = tvb(0, covered):bytes(), area_end(tvb)
    local crc = 0xffffffff
    for i = 0, covered - 1 do
        if i < FRONT_BYTES or i >= after then
            local value = (i >= after + 16 and i < after + 20) and 0 or bytes:get_index(i)
            crc = bit.bxor(bit.rshift(crc, 8), crc_table[bit.band(bit.bxor(crc, value), 0xff)])
        end
    end
    return bit.bnot(crc) % 4294967296
end

-- Whether a packet of a connection has keys: then it has a tag, and the checksum is 0.
local function is_sealed(tvb, type)
    if OWN_BYTES[type] ~= nil and type ~= REFUSE and type < PING then return false end
    if tvb:captured_len() < FRONT_BYTES then return false end
    local after = area_end(tvb)
    return tvb:captured_len() >= after + 20 and tvb(after + 16, 4):uint() == 0
end

-- Without the tag.
local function plain_bytes(tvb, type)
    return tvb:reported_len() - (is_sealed(tvb, type) and TAG_BYTES or 0)
end

-- Whether a HELLO, OPEN or READY has keys.
local function is_keyed(tvb, type)
    return KEYED_BYTES[type] ~= nil and tvb:captured_len() > 25 and tvb(25, 1):uint() ~= 0
end

-- How much the checksum covers: a DATA's payload only if it says so.
local function covered_bytes(tvb, type)
    local length = tvb:reported_len()
    if type ~= DATA and type ~= STREAM then return length end
    if bit.band(tvb(area_end(tvb) + 44, 1):uint(), 0x80) == 0 then return math.min(length, head_bytes(tvb, type)) end
    return length
end

-- "good", "bad", "none": the packet is sealed, or "not checked": the capture has cut it off
local function checksum_status(tvb, type)
    if is_sealed(tvb, type) then return "none" end
    local covered = covered_bytes(tvb, type)
    if covered > tvb:captured_len() then return "not checked" end
    return crc32c(tvb, covered) == tvb(area_end(tvb) + 16, 4):uint() and "good" or "bad"
end

local function length_is_right(tvb, type)
    local length, own = plain_bytes(tvb, type), is_keyed(tvb, type) and KEYED_BYTES[type] or OWN_BYTES[type]
    if own ~= nil then return length >= own[1] and length <= own[2] end
    if length < FRONT_BYTES then return false end
    local head = head_bytes(tvb, type)
    if type == DATA or type == STREAM then return length > head and length <= head + 9216 end
    return length == head
end

local function flag_names(value, shown)
    local names = {}
    for _, flag in ipairs(FLAGS) do
        if bit.band(value, flag[1]) ~= 0 and shown[flag[2]] then names[#names + 1] = " " .. flag[2] end
    end
    return table.concat(names)
end

local function add_record(tvb, tree, at)
    local slot = tree:add(f.slot, tvb(at, 16))
    slot:add(f.slot_time, tvb(at, 5), tvb(at, 8):uint64():rshift(24))
    slot:add(f.slot_rate, tvb(at + 5, 3))
    slot:add(f.slot_sent, tvb(at + 8, 5), tvb(at + 8, 8):uint64():rshift(24))
    slot:add(f.slot_queue, tvb(at + 13, 3))
end

local function add_area(tvb, tree)
    local after = area_end(tvb)
    if after == FRONT_BYTES then return end
    local area = tree:add(f.area, tvb(FRONT_BYTES, after - FRONT_BYTES))
    area:add(f.area_delay, tvb(4, 2))
    area:add(f.area_byte, tvb(6, 1))
    area:add(f.area_tokens, tvb(7, 1))
    area:add(f.area_ece, tvb(7, 1))
    for at = 8, after - 16, 16 do add_record(tvb, area, at) end
end

-- What every type has: up to the checksum.
local function add_front(tvb, tree, type)
    local after, own, first = area_end(tvb), OWN_BYTES[type] ~= nil, tvb(0, 1):uint()
    tree:add(f.version, tvb(0, 1))
    local class = tree:add(f.class, tvb(0, 1))
    tree:add(f.own, tvb(0, 1))
    if (own and bit.band(first, 0x0f) ~= 1) or (not own and bit.band(first, 1) ~= 0) then class:add_proto_expert_info(e.reserved) end
    tree:add(f.type, tvb(1, 1))
    local kind = tree:add(f.area_kind, tvb(2, 1))
    tree:add(f.area_slots, tvb(2, 1))
    if (own or after == FRONT_BYTES) and tvb(2, 1):uint() ~= 0 then kind:add_proto_expert_info(e.reserved) end
    local phase = tree:add(f.phase, tvb(3, 1))
    local keyed = (type == 34 or type == 35) and tvb:len() > 25 and tvb(25, 1):uint() ~= 0
    if tvb(3, 1):uint() ~= 0 and tvb(after + 16, 4):uint() ~= 0 and not keyed then phase:add_proto_expert_info(e.reserved) end
    add_area(tvb, tree)
    tree:add(f.token, tvb(after, 8))
    tree:add(f.counter, tvb(after + 8, 8))
    local checksum, status = tree:add(f.checksum, tvb(after + 16, 4)), checksum_status(tvb, type)
    checksum:append_text(" [" .. status .. "]")
    tree:add(f.checksum_status, tvb(after + 16, 4), status):set_generated()
    if status == "bad" then checksum:add_proto_expert_info(e.checksum) end
    return status
end

-- The endpoint's own head, in the first packet of every message.
local function add_message_head(tvb, tree, at)
    if tvb:captured_len() < at + 16 then return end
    tree:add(f.head_kind, tvb(at, 1))
    tree:add(f.head_zero, tvb(at + 1, 3))
    tree:add(f.head_result, tvb(at + 4, 4))
    tree:add(f.head_rpc, tvb(at + 8, 8))
end

local function add_value(tvb, tree, type, at)
    if type == DATA or type == REQUEST or type == ABORT then
        tree:add(f.unsched, tvb(at, 2))
        tree:add(f.bytes, tvb(at + 2, 6))
    elseif type == ACK or type == STREAM or type == SYN or type == SYN_ACK then
        tree:add(f.sent_ps, tvb(at, 8))
    elseif type == CREDIT then
        tree:add(f.grant_class, tvb(at, 4))
        tree:add(f.more, tvb(at + 4, 4))
    elseif type == CONTROL or type == NOTICE then
        tree:add(f.value, tvb(at, 8))
    else
        tree:add(f.unused, tvb(at, 8))
    end
end

-- What an ACK has behind its flags.
local function add_ack(tvb, tree, after)
    local counts, at = tvb(after + 45, 1):uint(), after + 60
    tree:add(f.ranges, tvb(after + 45, 1))
    tree:add(f.records, tvb(after + 45, 1))
    tree:add(f.share, tvb(after + 46, 2))
    tree:add(f.hold_ns, tvb(after + 48, 4))
    tree:add(f.marked_bytes, tvb(after + 52, 4))
    tree:add(f.window_kib, tvb(after + 56, 4))
    for _ = 1, bit.rshift(counts, 4) do
        tree:add(f.range_start, tvb(at, 4))
        tree:add(f.range_pkts, tvb(at + 4, 4))
        at = at + 8
    end
    for _ = 1, bit.band(counts, 15) do
        add_record(tvb, tree, at)
        at = at + 16
    end
end

-- The payload of DATA, from `head` on. Of a sealed one it is not known whether it is encrypted.
local function add_payload(tvb, tree, type, head, first)
    local sealed, bytes = is_sealed(tvb, type), math.min(plain_bytes(tvb, type), tvb:captured_len()) - head
    if first and not sealed then add_message_head(tvb, tree, head) end
    if bytes > 0 then tree:add(sealed and f.encrypted or f.payload, tvb(head, bytes)) end
end

-- A packet of a message. Returns what the info column says behind the type.
local function add_packet(tvb, tree, type)
    local after, head = area_end(tvb), head_bytes(tvb, type)
    local conn, seq, ack = tvb(after + 20, 4):uint(), tvb(after + 28, 4):uint(), tvb(after + 32, 4):uint()
    local flags = tvb(after + 44, 1):uint()
    tree:add(f.conn, tvb(after + 20, 4))
    tree:add(f.msg, tvb(after + 24, 4))
    tree:add(type == CONTROL and f.kind or type == NOTICE and f.notice or f.seq, tvb(after + 28, 4))
    local number = type == CREDIT or type == DATA or type == CONTROL
    tree:add(number and f.number or type == STREAM and f.first or f.ack, tvb(after + 32, 4))
    add_value(tvb, tree, type, after + 36)
    local bits = tree:add(f.flags, tvb(after + 44, 1))
    for _, flag in ipairs(FLAGS) do bits:add(f["flag_" .. flag[2]], tvb(after + 44, 1)) end
    if bit.band(flags, bit.bnot(bit.bor(KIND_FLAGS[type] or 0, 0x80))) ~= 0 then bits:add_proto_expert_info(e.reserved) end
    if type == ACK then add_ack(tvb, tree, after) end
    if type == DATA or type == STREAM then
        if type == STREAM then tree:add(f.bytes, tvb(after + 45, 6)) end
        add_payload(tvb, tree, type, head, seq == (type == STREAM and ack or 0))
        return string.format(" #%d seq %d +%d", conn, seq, plain_bytes(tvb, type) - head) ..
            flag_names(flags, { ["end"] = true, retx = true, own = true, unsched = true })
    elseif type == REQUEST then
        return string.format(" #%d %s bytes", conn, tostring(tvb(after + 38, 6):uint64()))
    elseif type == CREDIT then
        local more = tvb(after + 40, 4):uint()
        return string.format(" #%d seq %d%s number %d", conn, seq, more > 0 and string.format(" +%d", more) or "", ack) ..
            flag_names(flags, { retx = true })
    elseif type == CONTROL then
        return (conn ~= 0xffffffff and string.format(" #%d", conn) or "") .. string.format(" kind %d number %d", seq, ack) ..
            flag_names(flags, { own = true })
    elseif type == NOTICE then
        return string.format(" #%d %s", conn, NOTICES[seq] or string.format("kind %d", seq))
    elseif type == ACK or type == REPLY then
        return string.format(" #%d seq %d ack %d", conn, seq, ack) .. flag_names(flags, { ece = true, ["end"] = true, retx = true })
    end
    return string.format(" #%d", conn)
end

-- What a HELLO, OPEN or READY offers. text: where the law is
local function add_offer(tvb, tree, text)
    local bytes = tvb(30, 2):uint()
    tree:add(f.offer_version, tvb(24, 1))
    tree:add(f.protection, tvb(25, 1))
    tree:add(f.cipher, tvb(27, 1))
    tree:add(f.ports, tvb(26, 1))
    tree:add(f.mss, tvb(28, 2))
    tree:add(f.law_bytes, tvb(30, 2))
    local law = text + bytes <= tvb:captured_len() and bytes > 0 and tvb(text, bytes) or nil
    if law ~= nil then tree:add(f.law, law) end
    if text + bytes < tvb:captured_len() then tree:add(f.padding, tvb(text + bytes)) end
    return string.format(" mss %d%s", tvb(28, 2):uint(), law ~= nil and " " .. law:string() or "")
end

-- What a HELLO, OPEN or READY with keys has before its other fields.
local function add_keys(tvb, tree, noise_bytes)
    tree:add(f.mac, tvb(32, 16))
    tree:add(f.key_number, tvb(48, 2))
    tree:add(f.ephemeral, tvb(52, 32))
    tree:add(f.noise, tvb(84, noise_bytes - 32))
    return string.format(" %s key %d", PROTECTIONS[tvb(25, 1):uint()] or "?", tvb(48, 2):uint())
end

-- HELLO, OPEN or READY with keys. Returns what the info column says behind the type.
local function add_keyed(tvb, tree, type)
    local keys = add_keys(tvb, tree, type == READY and 64 or 48)
    if type == HELLO then
        return string.format(" %d bytes", tvb:reported_len()) .. keys .. add_offer(tvb, tree, 100)
    elseif type == OPEN then
        tree:add(f.cookie, tvb(100, 8))
        tree:add(f.epoch, tvb(108, 4))
        return keys .. add_offer(tvb, tree, 112)
    end
    tree:add(f.own_token, tvb(116, 8))
    return (tvb(116, 8):uint64() == UInt64(0) and " refused" or "") .. keys .. add_offer(tvb, tree, 124)
end

-- A packet of the endpoint's own. Returns what the info column says behind the type.
local function add_own(tvb, tree, type)
    if is_keyed(tvb, type) then return add_keyed(tvb, tree, type) end
    if type == HELLO then
        return string.format(" %d bytes", tvb:reported_len()) .. add_offer(tvb, tree, 32)
    elseif type == COOKIE then
        tree:add(f.cookie, tvb(24, 8))
        tree:add(f.epoch, tvb(32, 4))
        return string.format(" epoch %d", tvb(32, 4):uint())
    elseif type == OPEN then
        tree:add(f.cookie, tvb(32, 8))
        tree:add(f.epoch, tvb(40, 4))
        return add_offer(tvb, tree, 44)
    elseif type == READY then
        tree:add(f.own_token, tvb(32, 8))
        return (tvb(32, 8):uint64() == UInt64(0) and " refused" or "") .. add_offer(tvb, tree, 40)
    elseif type == REFUSE then
        tree:add(f.conn, tvb(24, 4))
        tree:add(f.msg, tvb(28, 4))
        return string.format(" #%d", tvb(24, 4):uint())
    elseif type == VERSIONS then
        tree:add(f.lowest, tvb(24, 1))
        tree:add(f.highest, tvb(25, 1))
        return string.format(" %d to %d", tvb(24, 1):uint(), tvb(25, 1):uint())
    elseif type == PING then
        tree:add(f.value, tvb(24, 8))
        tree:add(f.own_tag, tvb(30, 2))
        return string.format(" tag %04x", tvb(30, 2):uint())
    elseif type == PONG or type == CHALLENGE or type == RESPONSE then
        tree:add(f.value, tvb(24, 8))
    end
    return ""
end

-- What cannot be read further: of another version, of no type, or of no length that its type has.
local function add_strange(tvb, tree, pinfo, version, name)
    tree:add(f.version, tvb(0, 1))
    local item = tvb:captured_len() > 1 and tree:add(f.type, tvb(1, 1)) or tree
    if version ~= VERSION then
        item:add_proto_expert_info(e.version, string.format("Version %d; this dissector knows %d", version, VERSION))
        pinfo.cols.info = string.format("version %d", version)
    elseif name == nil then
        item:add_proto_expert_info(e.type)
        pinfo.cols.info = "unknown type"
    else
        item:add_proto_expert_info(e.length)
        pinfo.cols.info = name .. " [bad length]"
    end
end

-- Bytes that must be captured to show anything of a datagram.
local function shown_bytes(tvb, type)
    if is_keyed(tvb, type) then return 124 end
    if OWN_BYTES[type] ~= nil then return math.min(OWN_BYTES[type][1], 44) end
    return head_bytes(tvb, type)
end

function weir.dissector(tvb, pinfo, root)
    if tvb:captured_len() == 0 then return 0 end
    local tree = root:add(weir, tvb())
    local version = bit.rshift(tvb(0, 1):uint(), 4)
    local type = tvb:captured_len() > 1 and tvb(1, 1):uint() or -1
    local name = TYPES[type]
    pinfo.cols.protocol = "Weir"
    if version == VERSION and name ~= nil and tvb:reported_len() > tvb:captured_len() and
        (tvb:captured_len() < FRONT_BYTES or tvb:captured_len() < shown_bytes(tvb, type)) then
        pinfo.cols.info = name .. " [cut off by the capture]"
        return tvb:captured_len()
    end
    if version ~= VERSION or name == nil or not length_is_right(tvb, type) then
        add_strange(tvb, tree, pinfo, version, name)
        return tvb:captured_len()
    end
    local status = add_front(tvb, tree, type)
    local info = name .. (OWN_BYTES[type] == nil and add_packet(tvb, tree, type) or add_own(tvb, tree, type))
    if is_sealed(tvb, type) and plain_bytes(tvb, type) + TAG_BYTES <= tvb:captured_len() then
        tree:add(f.tag, tvb(plain_bytes(tvb, type), TAG_BYTES))
        info = info .. " sealed"
    end
    tree:append_text(", " .. info)
    pinfo.cols.info = info .. (status == "bad" and " [bad checksum]" or "")
    return tvb:captured_len()
end

-- Another port: only what can hardly be anything else.
weir:register_heuristic("udp", function(tvb, pinfo, root)
    local length = tvb:captured_len()
    if length < 24 or length ~= tvb:reported_len() then return false end
    local type = tvb(1, 1):uint()
    if bit.rshift(tvb(0, 1):uint(), 4) ~= VERSION or TYPES[type] == nil or not length_is_right(tvb, type) or
        (checksum_status(tvb, type) ~= "good" and not is_sealed(tvb, type)) then
        return false
    end
    weir.dissector(tvb, pinfo, root)
    return true
end)

local udp, registered = DissectorTable.get("udp.port"), 0
local function register()
    if registered ~= 0 then udp:remove(registered, weir) end
    registered = weir.prefs.port
    if registered ~= 0 then udp:add(registered, weir) end
end
weir.prefs_changed = register
register()
