-- tools/wireshark/weir.lua - Weir's packets in Wireshark and tshark; the format is doc/wire.md's.
--
--   tshark -X lua_script:tools/wireshark/weir.lua -r capture.pcap
--   cp tools/wireshark/weir.lua ~/.local/lib/wireshark/plugins/     (then it is always there)
--
-- Packets to or from the port of the preference weir.port are taken for Weir's; those of other ports if version, type and
-- checksum say so.

local weir = Proto("weir", "Weir")
weir.prefs.port = Pref.uint("UDP port", 7413, "Datagrams of this port are Weir's, whatever they look like; 0 = none")

local VERSION, HEAD_BYTES = 3, 40
local DATA, ACK, REPLY, REQUEST, CREDIT, DONE, CONTROL, ABORT = 0, 1, 2, 3, 4, 5, 6, 7
local HELLO, COOKIE, OPEN, READY, RESET, REFUSE = 10, 11, 12, 13, 14, 15
local TYPES = {
    [DATA] = "DATA", [ACK] = "ACK", [REPLY] = "REPLY", [REQUEST] = "REQUEST", [CREDIT] = "CREDIT", [DONE] = "DONE",
    [CONTROL] = "CONTROL", [ABORT] = "ABORT", [HELLO] = "HELLO", [COOKIE] = "COOKIE", [OPEN] = "OPEN", [READY] = "READY",
    [RESET] = "RESET", [REFUSE] = "REFUSE",
}
local WORD_BYTES = { [HELLO] = 64, [COOKIE] = 28, [OPEN] = 32, [READY] = 28, [RESET] = 16, [REFUSE] = 24 }
-- bit of the second byte, its name, what it says
local FLAGS = {
    { 0x01, "ect", "May be marked" }, { 0x02, "ce", "Reserved (CE is the IP header's)" },
    { 0x04, "ece", "What it answers was marked" }, { 0x08, "end", "Last packet of its message" },
    { 0x10, "retx", "Sent again (CREDIT: send again)" }, { 0x20, "own", "The protocol's own bit (SIRD: csn); CONTROL: of its receiver's message" },
    { 0x40, "unsched", "Went without credit" }, { 0x80, "high", "Reserved" },
}
local KIND_FLAGS = { [DATA] = 0x79, [ACK] = 0x0c, [CREDIT] = 0x10, [CONTROL] = 0x20 } -- which a type may have; the others none
local HEAD_KINDS = { [1] = "one-way", [2] = "call", [3] = "reply", [4] = "one-way, answered when released" }

local f = weir.fields
f.version = ProtoField.uint8("weir.version", "Version", base.DEC, nil, 0xf0)
f.type = ProtoField.uint8("weir.type", "Type", base.DEC, TYPES, 0x0f)
f.flags = ProtoField.uint8("weir.flags", "Flags", base.HEX)
for _, flag in ipairs(FLAGS) do
    f["flag_" .. flag[2]] = ProtoField.bool("weir.flags." .. flag[2], flag[3], 8, nil, flag[1])
end
f.class = ProtoField.uint8("weir.class", "Class (0 = most urgent)", base.DEC, nil, 0x07)
f.class_zero = ProtoField.uint8("weir.class.reserved", "Reserved", base.HEX, nil, 0x78)
f.checked = ProtoField.bool("weir.checked", "Payload under the checksum", 8, nil, 0x80)
f.zero = ProtoField.uint8("weir.reserved", "Reserved", base.HEX)
f.checksum = ProtoField.uint32("weir.checksum", "Checksum", base.HEX)
f.checksum_status = ProtoField.string("weir.checksum.status", "Checksum status")
f.token = ProtoField.uint64("weir.token", "Token", base.HEX)
f.conn = ProtoField.uint32("weir.conn", "Message number")
f.msg = ProtoField.uint32("weir.msg", "Sender's handle")
f.seq = ProtoField.uint32("weir.seq", "Packet of the message")
f.ack = ProtoField.uint32("weir.ack", "Acknowledged below")
f.number = ProtoField.uint32("weir.number", "The protocol's number (SIRD: total of credit, mod 2^32)")
f.kind = ProtoField.uint32("weir.kind", "The protocol's kind (SIRD: 0 state, 1 ask)")
f.more = ProtoField.uint32("weir.more", "Packets credited besides the first")
f.grant_class = ProtoField.uint32("weir.grant_class", "Class that those should have")
f.value = ProtoField.uint64("weir.value", "The protocol's value", base.HEX)
f.unsched = ProtoField.uint16("weir.unsched", "Packets that go without credit")
f.bytes = ProtoField.uint64("weir.bytes", "Bytes of the message")
f.sent_ps = ProtoField.uint64("weir.sent_ps", "Sent at (ps)")
f.unused = ProtoField.uint64("weir.unused", "Not used by this type", base.HEX)
f.payload = ProtoField.bytes("weir.payload", "Payload")
f.head_kind = ProtoField.uint8("weir.head.kind", "Message kind", base.DEC, HEAD_KINDS)
f.head_zero = ProtoField.uint24("weir.head.reserved", "Reserved", base.HEX)
f.head_result = ProtoField.uint32("weir.head.result", "Result of the call (errno)")
f.head_rpc = ProtoField.uint64("weir.head.rpc", "Call", base.HEX)
f.own_token = ProtoField.uint64("weir.own_token", "Sender's own token", base.HEX)
f.cookie = ProtoField.uint64("weir.cookie", "Cookie", base.HEX)
f.epoch = ProtoField.uint32("weir.epoch", "Epoch of the cookie")
f.mss = ProtoField.uint32("weir.mss", "Payload of a full packet")
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

-- of the first `covered` bytes, as if the checksum field (4 .. 7) were 0
local function crc32c(tvb, covered)
    local bytes = tvb(0, covered):bytes()
    local crc = 0xffffffff
    for i = 0, covered - 1 do
        local value = (i >= 4 and i < 8) and 0 or bytes:get_index(i)
        crc = bit.bxor(bit.rshift(crc, 8), crc_table[bit.band(bit.bxor(crc, value), 0xff)])
    end
    return bit.bnot(crc) % 4294967296
end

-- How much the checksum covers: a DATA's payload only if it says so.
local function covered_bytes(tvb)
    local type, length = bit.band(tvb(0, 1):uint(), 0x0f), tvb:reported_len()
    if type < HELLO and bit.band(tvb(2, 1):uint(), 0x80) == 0 then return math.min(length, HEAD_BYTES) end
    return length
end

-- "good", "bad", or "not checked": the capture has cut it off
local function checksum_status(tvb)
    local covered = covered_bytes(tvb)
    if covered > tvb:captured_len() then return "not checked" end
    return crc32c(tvb, covered) == tvb(4, 4):uint() and "good" or "bad"
end

local function length_is_right(type, length)
    if type == DATA then return length > HEAD_BYTES and length <= HEAD_BYTES + 9216 end
    if type < HELLO then return length == HEAD_BYTES end
    return length == WORD_BYTES[type] or (type == HELLO and length > WORD_BYTES[type])
end

local function flag_names(value, shown)
    local names = {}
    for _, flag in ipairs(FLAGS) do
        if bit.band(value, flag[1]) ~= 0 and shown[flag[2]] then names[#names + 1] = " " .. flag[2] end
    end
    return table.concat(names)
end

-- The first eight bytes, which every type has.
local function add_front(tvb, tree)
    local type, flags, class = bit.band(tvb(0, 1):uint(), 0x0f), tvb(1, 1):uint(), tvb(2, 1):uint()
    tree:add(f.version, tvb(0, 1))
    tree:add(f.type, tvb(0, 1))
    local bits = tree:add(f.flags, tvb(1, 1))
    for _, flag in ipairs(FLAGS) do bits:add(f["flag_" .. flag[2]], tvb(1, 1)) end
    if bit.band(flags, bit.bnot(KIND_FLAGS[type] or 0)) ~= 0 then bits:add_proto_expert_info(e.reserved) end
    tree:add(f.checked, tvb(2, 1))
    local class_zero = tree:add(f.class_zero, tvb(2, 1))
    tree:add(f.class, tvb(2, 1))
    if bit.band(class, type < HELLO and 0x78 or 0xff) ~= 0 then class_zero:add_proto_expert_info(e.reserved) end
    local zero = tree:add(f.zero, tvb(3, 1))
    if tvb(3, 1):uint() ~= 0 then zero:add_proto_expert_info(e.reserved) end
    local checksum, status = tree:add(f.checksum, tvb(4, 4)), checksum_status(tvb)
    checksum:append_text(" [" .. status .. "]")
    tree:add(f.checksum_status, tvb(4, 4), status):set_generated()
    if status == "bad" then checksum:add_proto_expert_info(e.checksum) end
    return status
end

-- The endpoint's own head, in packet 0 of every message.
local function add_message_head(tvb, tree)
    if tvb(24, 4):uint() ~= 0 or tvb:captured_len() < HEAD_BYTES + 16 then return end
    tree:add(f.head_kind, tvb(40, 1))
    tree:add(f.head_zero, tvb(41, 3))
    tree:add(f.head_result, tvb(44, 4))
    tree:add(f.head_rpc, tvb(48, 8))
end

local function add_bytes(tvb, tree, type)
    if type == DATA or type == REQUEST or type == ABORT then
        tree:add(f.unsched, tvb(32, 2))
        tree:add(f.bytes, tvb(34, 6))
    elseif type == ACK then
        tree:add(f.sent_ps, tvb(32, 8))
    elseif type == CREDIT then
        tree:add(f.grant_class, tvb(32, 4))
        tree:add(f.more, tvb(36, 4))
    elseif type == CONTROL then
        tree:add(f.value, tvb(32, 8))
    else
        tree:add(f.unused, tvb(32, 8))
    end
end

-- A packet of a message. Returns what the info column says behind the type.
local function add_packet(tvb, tree, type)
    local conn, seq, ack = tvb(16, 4):uint(), tvb(24, 4):uint(), tvb(28, 4):uint()
    local flags, payload = tvb(1, 1):uint(), tvb:reported_len() - HEAD_BYTES
    tree:add(f.conn, tvb(16, 4))
    tree:add(f.msg, tvb(20, 4))
    tree:add(type == CONTROL and f.kind or f.seq, tvb(24, 4))
    tree:add((type == CREDIT or type == DATA or type == CONTROL) and f.number or f.ack, tvb(28, 4))
    add_bytes(tvb, tree, type)
    if type == DATA then
        add_message_head(tvb, tree)
        if tvb:captured_len() > HEAD_BYTES then tree:add(f.payload, tvb(HEAD_BYTES)) end
        return string.format(" #%d seq %d +%d", conn, seq, payload) ..
            flag_names(flags, { ["end"] = true, retx = true, own = true, unsched = true })
    elseif type == REQUEST then
        return string.format(" #%d %s bytes", conn, tostring(tvb(34, 6):uint64()))
    elseif type == CREDIT then
        local more = tvb(36, 4):uint()
        return string.format(" #%d seq %d%s number %d", conn, seq, more > 0 and string.format(" +%d", more) or "", ack) ..
            flag_names(flags, { retx = true })
    elseif type == CONTROL then
        return (conn ~= 0xffffffff and string.format(" #%d", conn) or "") .. string.format(" kind %d number %d", seq, ack) ..
            flag_names(flags, { own = true })
    elseif type == ACK or type == REPLY then
        return string.format(" #%d seq %d ack %d", conn, seq, ack) .. flag_names(flags, { ece = true, ["end"] = true })
    end
    return string.format(" #%d", conn)
end

-- A word of a handshake. Returns what the info column says behind the type.
local function add_word(tvb, tree, type)
    if type == HELLO then
        tree:add(f.padding, tvb(16))
        return string.format(" %d bytes", tvb:reported_len())
    elseif type == COOKIE or type == OPEN then
        tree:add(f.cookie, tvb(16, 8))
        tree:add(f.epoch, tvb(24, 4))
        if type == COOKIE then return string.format(" epoch %d", tvb(24, 4):uint()) end
        tree:add(f.mss, tvb(28, 4))
        return string.format(" mss %d", tvb(28, 4):uint())
    elseif type == READY then
        tree:add(f.own_token, tvb(16, 8))
        tree:add(f.mss, tvb(24, 4))
        return string.format(" mss %d", tvb(24, 4):uint())
    elseif type == REFUSE then
        tree:add(f.conn, tvb(16, 4))
        tree:add(f.msg, tvb(20, 4))
        return string.format(" #%d", tvb(16, 4):uint())
    end
    return ""
end

-- What cannot be read further: of another version, of no type, or of no length that its type has.
local function add_strange(tvb, tree, pinfo, version, name)
    tree:add(f.version, tvb(0, 1))
    local item = tree:add(f.type, tvb(0, 1))
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

function weir.dissector(tvb, pinfo, root)
    if tvb:captured_len() == 0 then return 0 end
    local tree = root:add(weir, tvb())
    local first = tvb(0, 1):uint()
    local version, type = bit.rshift(first, 4), bit.band(first, 0x0f)
    local name = TYPES[type]
    pinfo.cols.protocol = "Weir"
    if version ~= VERSION or name == nil or not length_is_right(type, tvb:reported_len()) then
        add_strange(tvb, tree, pinfo, version, name)
        return tvb:captured_len()
    end
    if tvb:captured_len() < (WORD_BYTES[type] or HEAD_BYTES) then
        pinfo.cols.info = name .. " [cut off by the capture]"
        return tvb:captured_len()
    end
    local status = add_front(tvb, tree)
    tree:add(f.token, tvb(8, 8))
    local info = name .. (type < HELLO and add_packet(tvb, tree, type) or add_word(tvb, tree, type))
    tree:append_text(", " .. info)
    pinfo.cols.info = info .. (status == "bad" and " [bad checksum]" or "")
    return tvb:captured_len()
end

-- Another port: only what can hardly be anything else.
weir:register_heuristic("udp", function(tvb, pinfo, root)
    local length = tvb:captured_len()
    if length < 16 or length ~= tvb:reported_len() then return false end
    local first = tvb(0, 1):uint()
    local type = bit.band(first, 0x0f)
    if bit.rshift(first, 4) ~= VERSION or TYPES[type] == nil or not length_is_right(type, length) or
        checksum_status(tvb) ~= "good" then
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
