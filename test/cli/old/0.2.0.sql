PRAGMA application_id = 1466263922;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE by_size (run INTEGER NOT NULL REFERENCES run, denominator TEXT NOT NULL, lo_bytes INTEGER NOT NULL, hi_bytes INTEGER NOT NULL, count INTEGER NOT NULL, p50 REAL NOT NULL, p99 REAL NOT NULL, PRIMARY KEY (run, denominator, lo_bytes)) WITHOUT ROWID;
INSERT INTO "by_size" VALUES(3,'ideal',10000,17783,58,1.314815,3.104767);
INSERT INTO "by_size" VALUES(3,'payload',10000,17783,58,1.535999,3.624331);
INSERT INTO "by_size" VALUES(5,'ideal',10000,17783,14,1.030143,1.418021);
INSERT INTO "by_size" VALUES(5,'payload',10000,17783,14,1.200127,1.650687);
CREATE TABLE coflow (run INTEGER NOT NULL REFERENCES run, number INTEGER NOT NULL, job TEXT NOT NULL, name TEXT NOT NULL, start_ps INTEGER, first_end_ps INTEGER, end_ps INTEGER, flows INTEGER NOT NULL, ended INTEGER NOT NULL, PRIMARY KEY (run, number)) WITHOUT ROWID;
CREATE TABLE failure (run INTEGER PRIMARY KEY REFERENCES run, reason TEXT NOT NULL);
CREATE TABLE finding (run INTEGER NOT NULL REFERENCES run, number INTEGER NOT NULL, kind TEXT NOT NULL, place TEXT, text TEXT NOT NULL, numbers TEXT NOT NULL, PRIMARY KEY (run, number)) WITHOUT ROWID;
INSERT INTO "finding" VALUES(3,0,'too_short',NULL,'97.9 % of what was offered arrived: the run is not much longer than its longest messages take (10.0 KB: about 23.81 us); measure at least 400 us, after a warm-up of 30 us','{"arrived": 0.978833, "longest_bytes": 10000, "longest_s": 0.000023810596, "measure_s": 0.000400000000, "warmup_s": 0.000030000000, "sim_s": 0.000400000000}');
INSERT INTO "finding" VALUES(3,1,'unfinished',NULL,'2 of 60 messages unfinished, left out of slowdown: a lower bound','{"messages": 2, "started": 60, "counted": 2, "slowest": null, "ends": 0}');
INSERT INTO "finding" VALUES(5,0,'too_short',NULL,'85.8 % of what was offered arrived: the run is not much longer than its longest messages take (10.0 KB: about 23.81 us); measure at least 300 us, after a warm-up of 30 us','{"arrived": 0.857882, "longest_bytes": 10000, "longest_s": 0.000023810596, "measure_s": 0.000300000000, "warmup_s": 0.000030000000, "sim_s": 0.000100000000}');
INSERT INTO "finding" VALUES(5,1,'unfinished',NULL,'3 of 17 messages unfinished, left out of slowdown: a lower bound','{"messages": 3, "started": 17, "counted": 3, "slowest": null, "ends": 0}');
CREATE TABLE histogram (run INTEGER NOT NULL REFERENCES run, name TEXT NOT NULL, unit TEXT NOT NULL, lo REAL NOT NULL, hi REAL NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (run, name, lo)) WITHOUT ROWID;
INSERT INTO "histogram" VALUES(3,'port_queue','bytes',0.0,4.0,1074);
INSERT INTO "histogram" VALUES(3,'port_queue','bytes',4.0,8.0,1);
INSERT INTO "histogram" VALUES(3,'port_queue','bytes',8.0,12.0,1);
INSERT INTO "histogram" VALUES(3,'slowdown','ratio',0.999424,1.00352,6);
INSERT INTO "histogram" VALUES(3,'slowdown','ratio',1.007616,1.011712,2);
INSERT INTO "histogram" VALUES(3,'slowdown','ratio',1.015808,1.019904,2);
INSERT INTO "histogram" VALUES(3,'slowdown_payload','ratio',1.163264,1.171456,6);
INSERT INTO "histogram" VALUES(3,'slowdown_payload','ratio',1.179648,1.18784,4);
INSERT INTO "histogram" VALUES(3,'slowdown_payload','ratio',1.18784,1.196032,2);
INSERT INTO "histogram" VALUES(3,'tor_queue','bytes',0.0,4.0,74);
INSERT INTO "histogram" VALUES(3,'tor_queue','bytes',12.0,16.0,2);
INSERT INTO "histogram" VALUES(3,'tor_queue','bytes',16.0,20.0,1);
INSERT INTO "histogram" VALUES(5,'port_queue','bytes',0.0,4.0,268);
INSERT INTO "histogram" VALUES(5,'port_queue','bytes',12.0,16.0,1);
INSERT INTO "histogram" VALUES(5,'port_queue','bytes',16.0,20.0,1);
INSERT INTO "histogram" VALUES(5,'slowdown','ratio',0.999424,1.00352,3);
INSERT INTO "histogram" VALUES(5,'slowdown','ratio',1.007616,1.011712,1);
INSERT INTO "histogram" VALUES(5,'slowdown','ratio',1.015808,1.019904,1);
INSERT INTO "histogram" VALUES(5,'slowdown_payload','ratio',1.163264,1.171456,3);
INSERT INTO "histogram" VALUES(5,'slowdown_payload','ratio',1.179648,1.18784,2);
INSERT INTO "histogram" VALUES(5,'slowdown_payload','ratio',1.18784,1.196032,1);
INSERT INTO "histogram" VALUES(5,'tor_queue','bytes',0.0,4.0,12);
INSERT INTO "histogram" VALUES(5,'tor_queue','bytes',16.0,20.0,1);
INSERT INTO "histogram" VALUES(5,'tor_queue','bytes',80.0,84.0,1);
CREATE TABLE job (run INTEGER NOT NULL REFERENCES run, number INTEGER NOT NULL, name TEXT NOT NULL, start_ps INTEGER NOT NULL, end_ps INTEGER, flows INTEGER NOT NULL, ended INTEGER NOT NULL, PRIMARY KEY (run, number)) WITHOUT ROWID;
CREATE TABLE message (run INTEGER NOT NULL REFERENCES run, id INTEGER NOT NULL, src INTEGER NOT NULL, dst INTEGER NOT NULL, item INTEGER NOT NULL, bytes INTEGER NOT NULL, start_ps INTEGER NOT NULL, end_ps INTEGER NOT NULL, ideal_ps INTEGER NOT NULL, payload_ideal_ps INTEGER NOT NULL, retransmissions INTEGER NOT NULL, marks INTEGER NOT NULL, key INTEGER PRIMARY KEY);
CREATE TABLE metric (run INTEGER NOT NULL REFERENCES run, name TEXT NOT NULL, value REAL, PRIMARY KEY (run, name)) WITHOUT ROWID;
INSERT INTO "metric" VALUES(3,'allocation',NULL);
INSERT INTO "metric" VALUES(3,'bytes_per_flow',1221.0);
INSERT INTO "metric" VALUES(3,'bytes_per_packet',4096.0);
INSERT INTO "metric" VALUES(3,'coflows',NULL);
INSERT INTO "metric" VALUES(3,'completion_us.A.count',0.0);
INSERT INTO "metric" VALUES(3,'completion_us.A.mean',NULL);
INSERT INTO "metric" VALUES(3,'completion_us.A.p50',NULL);
INSERT INTO "metric" VALUES(3,'completion_us.A.p95',NULL);
INSERT INTO "metric" VALUES(3,'completion_us.A.p99',NULL);
INSERT INTO "metric" VALUES(3,'completion_us.A.p999',NULL);
INSERT INTO "metric" VALUES(3,'completion_us.B.count',0.0);
INSERT INTO "metric" VALUES(3,'completion_us.B.mean',NULL);
INSERT INTO "metric" VALUES(3,'completion_us.B.p50',NULL);
INSERT INTO "metric" VALUES(3,'completion_us.B.p95',NULL);
INSERT INTO "metric" VALUES(3,'completion_us.B.p99',NULL);
INSERT INTO "metric" VALUES(3,'completion_us.B.p999',NULL);
INSERT INTO "metric" VALUES(3,'completion_us.C.count',58.0);
INSERT INTO "metric" VALUES(3,'completion_us.C.mean',17.07598081);
INSERT INTO "metric" VALUES(3,'completion_us.C.p50',15.4048);
INSERT INTO "metric" VALUES(3,'completion_us.C.p95',30.577833);
INSERT INTO "metric" VALUES(3,'completion_us.C.p99',35.04783);
INSERT INTO "metric" VALUES(3,'completion_us.C.p999',36.123769);
INSERT INTO "metric" VALUES(3,'completion_us.D.count',0.0);
INSERT INTO "metric" VALUES(3,'completion_us.D.mean',NULL);
INSERT INTO "metric" VALUES(3,'completion_us.D.p50',NULL);
INSERT INTO "metric" VALUES(3,'completion_us.D.p95',NULL);
INSERT INTO "metric" VALUES(3,'completion_us.D.p99',NULL);
INSERT INTO "metric" VALUES(3,'completion_us.D.p999',NULL);
INSERT INTO "metric" VALUES(3,'completion_us.all.count',58.0);
INSERT INTO "metric" VALUES(3,'completion_us.all.mean',17.07598081);
INSERT INTO "metric" VALUES(3,'completion_us.all.p50',15.4048);
INSERT INTO "metric" VALUES(3,'completion_us.all.p95',30.577833);
INSERT INTO "metric" VALUES(3,'completion_us.all.p99',35.04783);
INSERT INTO "metric" VALUES(3,'completion_us.all.p999',36.123769);
INSERT INTO "metric" VALUES(3,'connections',22.0);
INSERT INTO "metric" VALUES(3,'credit_bytes',NULL);
INSERT INTO "metric" VALUES(3,'drops',0.0);
INSERT INTO "metric" VALUES(3,'goodput_completed_gbps',2.9);
INSERT INTO "metric" VALUES(3,'goodput_gbps',2.9365);
INSERT INTO "metric" VALUES(3,'hosts',4.0);
INSERT INTO "metric" VALUES(3,'interrupted',0.0);
INSERT INTO "metric" VALUES(3,'jain',0.987333);
INSERT INTO "metric" VALUES(3,'jobs',NULL);
INSERT INTO "metric" VALUES(3,'losses',0.0);
INSERT INTO "metric" VALUES(3,'marked_short_share',NULL);
INSERT INTO "metric" VALUES(3,'marks',23.0);
INSERT INTO "metric" VALUES(3,'measured_s',0.0004);
INSERT INTO "metric" VALUES(3,'messages_completed',58.0);
INSERT INTO "metric" VALUES(3,'messages_measured',58.0);
INSERT INTO "metric" VALUES(3,'messages_started',60.0);
INSERT INTO "metric" VALUES(3,'offered_gbps',3.0);
INSERT INTO "metric" VALUES(3,'packet_hops',1645.0);
INSERT INTO "metric" VALUES(3,'packet_hops_per_s',168026.0);
INSERT INTO "metric" VALUES(3,'peak_packets_in_flight',32.0);
INSERT INTO "metric" VALUES(3,'peak_rss_bytes',8331264.0);
INSERT INTO "metric" VALUES(3,'port_queue_bytes.max',17322.0);
INSERT INTO "metric" VALUES(3,'port_queue_bytes.mean',669.04);
INSERT INTO "metric" VALUES(3,'port_queue_bytes.p99',11615.0);
INSERT INTO "metric" VALUES(3,'port_queue_bytes_sampled',NULL);
INSERT INTO "metric" VALUES(3,'rate_gbps.A',NULL);
INSERT INTO "metric" VALUES(3,'rate_gbps.B',NULL);
INSERT INTO "metric" VALUES(3,'rate_gbps.C',5.19414);
INSERT INTO "metric" VALUES(3,'rate_gbps.D',NULL);
INSERT INTO "metric" VALUES(3,'rate_gbps.all',5.19414);
INSERT INTO "metric" VALUES(3,'retransmissions',0.0);
INSERT INTO "metric" VALUES(3,'seed',1.0);
INSERT INTO "metric" VALUES(3,'setup_s',0.007754129);
INSERT INTO "metric" VALUES(3,'sim_s',0.0004);
INSERT INTO "metric" VALUES(3,'slowdown.A.count',0.0);
INSERT INTO "metric" VALUES(3,'slowdown.A.mean',NULL);
INSERT INTO "metric" VALUES(3,'slowdown.A.p50',NULL);
INSERT INTO "metric" VALUES(3,'slowdown.A.p95',NULL);
INSERT INTO "metric" VALUES(3,'slowdown.A.p99',NULL);
INSERT INTO "metric" VALUES(3,'slowdown.A.p999',NULL);
INSERT INTO "metric" VALUES(3,'slowdown.B.count',0.0);
INSERT INTO "metric" VALUES(3,'slowdown.B.mean',NULL);
INSERT INTO "metric" VALUES(3,'slowdown.B.p50',NULL);
INSERT INTO "metric" VALUES(3,'slowdown.B.p95',NULL);
INSERT INTO "metric" VALUES(3,'slowdown.B.p99',NULL);
INSERT INTO "metric" VALUES(3,'slowdown.B.p999',NULL);
INSERT INTO "metric" VALUES(3,'slowdown.C.count',58.0);
INSERT INTO "metric" VALUES(3,'slowdown.C.mean',1.463588172);
INSERT INTO "metric" VALUES(3,'slowdown.C.p50',1.320351);
INSERT INTO "metric" VALUES(3,'slowdown.C.p95',2.620837);
INSERT INTO "metric" VALUES(3,'slowdown.C.p99',3.003962);
INSERT INTO "metric" VALUES(3,'slowdown.C.p999',3.096181);
INSERT INTO "metric" VALUES(3,'slowdown.D.count',0.0);
INSERT INTO "metric" VALUES(3,'slowdown.D.mean',NULL);
INSERT INTO "metric" VALUES(3,'slowdown.D.p50',NULL);
INSERT INTO "metric" VALUES(3,'slowdown.D.p95',NULL);
INSERT INTO "metric" VALUES(3,'slowdown.D.p99',NULL);
INSERT INTO "metric" VALUES(3,'slowdown.D.p999',NULL);
INSERT INTO "metric" VALUES(3,'slowdown.all.count',58.0);
INSERT INTO "metric" VALUES(3,'slowdown.all.mean',1.463588172);
INSERT INTO "metric" VALUES(3,'slowdown.all.p50',1.320351);
INSERT INTO "metric" VALUES(3,'slowdown.all.p95',2.620837);
INSERT INTO "metric" VALUES(3,'slowdown.all.p99',3.003962);
INSERT INTO "metric" VALUES(3,'slowdown.all.p999',3.096181);
INSERT INTO "metric" VALUES(3,'slowdown_payload.A.count',0.0);
INSERT INTO "metric" VALUES(3,'slowdown_payload.A.mean',NULL);
INSERT INTO "metric" VALUES(3,'slowdown_payload.A.p50',NULL);
INSERT INTO "metric" VALUES(3,'slowdown_payload.A.p95',NULL);
INSERT INTO "metric" VALUES(3,'slowdown_payload.A.p99',NULL);
INSERT INTO "metric" VALUES(3,'slowdown_payload.A.p999',NULL);
INSERT INTO "metric" VALUES(3,'slowdown_payload.B.count',0.0);
INSERT INTO "metric" VALUES(3,'slowdown_payload.B.mean',NULL);
INSERT INTO "metric" VALUES(3,'slowdown_payload.B.p50',NULL);
INSERT INTO "metric" VALUES(3,'slowdown_payload.B.p95',NULL);
INSERT INTO "metric" VALUES(3,'slowdown_payload.B.p99',NULL);
INSERT INTO "metric" VALUES(3,'slowdown_payload.B.p999',NULL);
INSERT INTO "metric" VALUES(3,'slowdown_payload.C.count',58.0);
INSERT INTO "metric" VALUES(3,'slowdown_payload.C.mean',1.707597879);
INSERT INTO "metric" VALUES(3,'slowdown_payload.C.p50',1.54048);
INSERT INTO "metric" VALUES(3,'slowdown_payload.C.p95',3.057783);
INSERT INTO "metric" VALUES(3,'slowdown_payload.C.p99',3.504783);
INSERT INTO "metric" VALUES(3,'slowdown_payload.C.p999',3.612376);
INSERT INTO "metric" VALUES(3,'slowdown_payload.D.count',0.0);
INSERT INTO "metric" VALUES(3,'slowdown_payload.D.mean',NULL);
INSERT INTO "metric" VALUES(3,'slowdown_payload.D.p50',NULL);
INSERT INTO "metric" VALUES(3,'slowdown_payload.D.p95',NULL);
INSERT INTO "metric" VALUES(3,'slowdown_payload.D.p99',NULL);
INSERT INTO "metric" VALUES(3,'slowdown_payload.D.p999',NULL);
INSERT INTO "metric" VALUES(3,'slowdown_payload.all.count',58.0);
INSERT INTO "metric" VALUES(3,'slowdown_payload.all.mean',1.707597879);
INSERT INTO "metric" VALUES(3,'slowdown_payload.all.p50',1.54048);
INSERT INTO "metric" VALUES(3,'slowdown_payload.all.p95',3.057783);
INSERT INTO "metric" VALUES(3,'slowdown_payload.all.p99',3.504783);
INSERT INTO "metric" VALUES(3,'slowdown_payload.all.p999',3.612376);
INSERT INTO "metric" VALUES(3,'source_marks',0.0);
INSERT INTO "metric" VALUES(3,'stable',0.0);
INSERT INTO "metric" VALUES(3,'stalled',0.0);
INSERT INTO "metric" VALUES(3,'threads',1.0);
INSERT INTO "metric" VALUES(3,'timeouts',0.0);
INSERT INTO "metric" VALUES(3,'tor_queue_bytes.max',23904.0);
INSERT INTO "metric" VALUES(3,'tor_queue_bytes.mean',2676.161);
INSERT INTO "metric" VALUES(3,'tor_queue_bytes.p99',21055.0);
INSERT INTO "metric" VALUES(3,'tor_queue_bytes_sampled',NULL);
INSERT INTO "metric" VALUES(3,'unfinished.A',0.0);
INSERT INTO "metric" VALUES(3,'unfinished.B',0.0);
INSERT INTO "metric" VALUES(3,'unfinished.C',2.0);
INSERT INTO "metric" VALUES(3,'unfinished.D',0.0);
INSERT INTO "metric" VALUES(3,'unfinished.all',2.0);
INSERT INTO "metric" VALUES(3,'unfinished.bytes',20000.0);
INSERT INTO "metric" VALUES(3,'unfinished.messages',2.0);
INSERT INTO "metric" VALUES(3,'wall_s',0.009790121);
INSERT INTO "metric" VALUES(5,'allocation',NULL);
INSERT INTO "metric" VALUES(5,'bytes_per_flow',2067.0);
INSERT INTO "metric" VALUES(5,'bytes_per_packet',7281.0);
INSERT INTO "metric" VALUES(5,'coflows',NULL);
INSERT INTO "metric" VALUES(5,'completion_us.A.count',0.0);
INSERT INTO "metric" VALUES(5,'completion_us.A.mean',NULL);
INSERT INTO "metric" VALUES(5,'completion_us.A.p50',NULL);
INSERT INTO "metric" VALUES(5,'completion_us.A.p95',NULL);
INSERT INTO "metric" VALUES(5,'completion_us.A.p99',NULL);
INSERT INTO "metric" VALUES(5,'completion_us.A.p999',NULL);
INSERT INTO "metric" VALUES(5,'completion_us.B.count',0.0);
INSERT INTO "metric" VALUES(5,'completion_us.B.mean',NULL);
INSERT INTO "metric" VALUES(5,'completion_us.B.p50',NULL);
INSERT INTO "metric" VALUES(5,'completion_us.B.p95',NULL);
INSERT INTO "metric" VALUES(5,'completion_us.B.p99',NULL);
INSERT INTO "metric" VALUES(5,'completion_us.B.p999',NULL);
INSERT INTO "metric" VALUES(5,'completion_us.C.count',14.0);
INSERT INTO "metric" VALUES(5,'completion_us.C.mean',12.613766214);
INSERT INTO "metric" VALUES(5,'completion_us.C.p50',12.0032);
INSERT INTO "metric" VALUES(5,'completion_us.C.p95',15.773478);
INSERT INTO "metric" VALUES(5,'completion_us.C.p99',16.390165);
INSERT INTO "metric" VALUES(5,'completion_us.C.p999',16.52892);
INSERT INTO "metric" VALUES(5,'completion_us.D.count',0.0);
INSERT INTO "metric" VALUES(5,'completion_us.D.mean',NULL);
INSERT INTO "metric" VALUES(5,'completion_us.D.p50',NULL);
INSERT INTO "metric" VALUES(5,'completion_us.D.p95',NULL);
INSERT INTO "metric" VALUES(5,'completion_us.D.p99',NULL);
INSERT INTO "metric" VALUES(5,'completion_us.D.p999',NULL);
INSERT INTO "metric" VALUES(5,'completion_us.all.count',14.0);
INSERT INTO "metric" VALUES(5,'completion_us.all.mean',12.613766214);
INSERT INTO "metric" VALUES(5,'completion_us.all.p50',12.0032);
INSERT INTO "metric" VALUES(5,'completion_us.all.p95',15.773478);
INSERT INTO "metric" VALUES(5,'completion_us.all.p99',16.390165);
INSERT INTO "metric" VALUES(5,'completion_us.all.p999',16.52892);
INSERT INTO "metric" VALUES(5,'connections',13.0);
INSERT INTO "metric" VALUES(5,'credit_bytes',NULL);
INSERT INTO "metric" VALUES(5,'drops',0.0);
INSERT INTO "metric" VALUES(5,'goodput_completed_gbps',2.8);
INSERT INTO "metric" VALUES(5,'goodput_gbps',2.9168);
INSERT INTO "metric" VALUES(5,'hosts',4.0);
INSERT INTO "metric" VALUES(5,'interrupted',0.0);
INSERT INTO "metric" VALUES(5,'jain',0.858203);
INSERT INTO "metric" VALUES(5,'jobs',NULL);
INSERT INTO "metric" VALUES(5,'losses',0.0);
INSERT INTO "metric" VALUES(5,'marked_short_share',NULL);
INSERT INTO "metric" VALUES(5,'marks',0.0);
INSERT INTO "metric" VALUES(5,'measured_s',0.0001);
INSERT INTO "metric" VALUES(5,'messages_completed',14.0);
INSERT INTO "metric" VALUES(5,'messages_measured',14.0);
INSERT INTO "metric" VALUES(5,'messages_started',17.0);
INSERT INTO "metric" VALUES(5,'offered_gbps',3.4);
INSERT INTO "metric" VALUES(5,'packet_hops',413.0);
INSERT INTO "metric" VALUES(5,'packet_hops_per_s',480092.0);
INSERT INTO "metric" VALUES(5,'peak_packets_in_flight',18.0);
INSERT INTO "metric" VALUES(5,'peak_rss_bytes',8622080.0);
INSERT INTO "metric" VALUES(5,'port_queue_bytes.max',9144.0);
INSERT INTO "metric" VALUES(5,'port_queue_bytes.mean',460.837);
INSERT INTO "metric" VALUES(5,'port_queue_bytes.p99',6543.0);
INSERT INTO "metric" VALUES(5,'port_queue_bytes_sampled',NULL);
INSERT INTO "metric" VALUES(5,'rate_gbps.A',NULL);
INSERT INTO "metric" VALUES(5,'rate_gbps.B',NULL);
INSERT INTO "metric" VALUES(5,'rate_gbps.C',6.412625);
INSERT INTO "metric" VALUES(5,'rate_gbps.D',NULL);
INSERT INTO "metric" VALUES(5,'rate_gbps.all',6.412625);
INSERT INTO "metric" VALUES(5,'retransmissions',0.0);
INSERT INTO "metric" VALUES(5,'seed',1.0);
INSERT INTO "metric" VALUES(5,'setup_s',0.002119624);
INSERT INTO "metric" VALUES(5,'sim_s',0.0001);
INSERT INTO "metric" VALUES(5,'slowdown.A.count',0.0);
INSERT INTO "metric" VALUES(5,'slowdown.A.mean',NULL);
INSERT INTO "metric" VALUES(5,'slowdown.A.p50',NULL);
INSERT INTO "metric" VALUES(5,'slowdown.A.p95',NULL);
INSERT INTO "metric" VALUES(5,'slowdown.A.p99',NULL);
INSERT INTO "metric" VALUES(5,'slowdown.A.p999',NULL);
INSERT INTO "metric" VALUES(5,'slowdown.B.count',0.0);
INSERT INTO "metric" VALUES(5,'slowdown.B.mean',NULL);
INSERT INTO "metric" VALUES(5,'slowdown.B.p50',NULL);
INSERT INTO "metric" VALUES(5,'slowdown.B.p95',NULL);
INSERT INTO "metric" VALUES(5,'slowdown.B.p99',NULL);
INSERT INTO "metric" VALUES(5,'slowdown.B.p999',NULL);
INSERT INTO "metric" VALUES(5,'slowdown.C.count',14.0);
INSERT INTO "metric" VALUES(5,'slowdown.C.mean',1.081130214);
INSERT INTO "metric" VALUES(5,'slowdown.C.p50',1.028798);
INSERT INTO "metric" VALUES(5,'slowdown.C.p95',1.35195);
INSERT INTO "metric" VALUES(5,'slowdown.C.p99',1.404807);
INSERT INTO "metric" VALUES(5,'slowdown.C.p999',1.4167);
INSERT INTO "metric" VALUES(5,'slowdown.D.count',0.0);
INSERT INTO "metric" VALUES(5,'slowdown.D.mean',NULL);
INSERT INTO "metric" VALUES(5,'slowdown.D.p50',NULL);
INSERT INTO "metric" VALUES(5,'slowdown.D.p95',NULL);
INSERT INTO "metric" VALUES(5,'slowdown.D.p99',NULL);
INSERT INTO "metric" VALUES(5,'slowdown.D.p999',NULL);
INSERT INTO "metric" VALUES(5,'slowdown.all.count',14.0);
INSERT INTO "metric" VALUES(5,'slowdown.all.mean',1.081130214);
INSERT INTO "metric" VALUES(5,'slowdown.all.p50',1.028798);
INSERT INTO "metric" VALUES(5,'slowdown.all.p95',1.35195);
INSERT INTO "metric" VALUES(5,'slowdown.all.p99',1.404807);
INSERT INTO "metric" VALUES(5,'slowdown.all.p999',1.4167);
INSERT INTO "metric" VALUES(5,'slowdown_payload.A.count',0.0);
INSERT INTO "metric" VALUES(5,'slowdown_payload.A.mean',NULL);
INSERT INTO "metric" VALUES(5,'slowdown_payload.A.p50',NULL);
INSERT INTO "metric" VALUES(5,'slowdown_payload.A.p95',NULL);
INSERT INTO "metric" VALUES(5,'slowdown_payload.A.p99',NULL);
INSERT INTO "metric" VALUES(5,'slowdown_payload.A.p999',NULL);
INSERT INTO "metric" VALUES(5,'slowdown_payload.B.count',0.0);
INSERT INTO "metric" VALUES(5,'slowdown_payload.B.mean',NULL);
INSERT INTO "metric" VALUES(5,'slowdown_payload.B.p50',NULL);
INSERT INTO "metric" VALUES(5,'slowdown_payload.B.p95',NULL);
INSERT INTO "metric" VALUES(5,'slowdown_payload.B.p99',NULL);
INSERT INTO "metric" VALUES(5,'slowdown_payload.B.p999',NULL);
INSERT INTO "metric" VALUES(5,'slowdown_payload.C.count',14.0);
INSERT INTO "metric" VALUES(5,'slowdown_payload.C.mean',1.261376428);
INSERT INTO "metric" VALUES(5,'slowdown_payload.C.p50',1.20032);
INSERT INTO "metric" VALUES(5,'slowdown_payload.C.p95',1.577348);
INSERT INTO "metric" VALUES(5,'slowdown_payload.C.p99',1.639016);
INSERT INTO "metric" VALUES(5,'slowdown_payload.C.p999',1.652891);
INSERT INTO "metric" VALUES(5,'slowdown_payload.D.count',0.0);
INSERT INTO "metric" VALUES(5,'slowdown_payload.D.mean',NULL);
INSERT INTO "metric" VALUES(5,'slowdown_payload.D.p50',NULL);
INSERT INTO "metric" VALUES(5,'slowdown_payload.D.p95',NULL);
INSERT INTO "metric" VALUES(5,'slowdown_payload.D.p99',NULL);
INSERT INTO "metric" VALUES(5,'slowdown_payload.D.p999',NULL);
INSERT INTO "metric" VALUES(5,'slowdown_payload.all.count',14.0);
INSERT INTO "metric" VALUES(5,'slowdown_payload.all.mean',1.261376428);
INSERT INTO "metric" VALUES(5,'slowdown_payload.all.p50',1.20032);
INSERT INTO "metric" VALUES(5,'slowdown_payload.all.p95',1.577348);
INSERT INTO "metric" VALUES(5,'slowdown_payload.all.p99',1.639016);
INSERT INTO "metric" VALUES(5,'slowdown_payload.all.p999',1.652891);
INSERT INTO "metric" VALUES(5,'source_marks',0.0);
INSERT INTO "metric" VALUES(5,'stable',0.0);
INSERT INTO "metric" VALUES(5,'stalled',0.0);
INSERT INTO "metric" VALUES(5,'threads',1.0);
INSERT INTO "metric" VALUES(5,'timeouts',0.0);
INSERT INTO "metric" VALUES(5,'tor_queue_bytes.max',9144.0);
INSERT INTO "metric" VALUES(5,'tor_queue_bytes.mean',1843.349);
INSERT INTO "metric" VALUES(5,'tor_queue_bytes.p99',8015.0);
INSERT INTO "metric" VALUES(5,'tor_queue_bytes_sampled',NULL);
INSERT INTO "metric" VALUES(5,'unfinished.A',0.0);
INSERT INTO "metric" VALUES(5,'unfinished.B',0.0);
INSERT INTO "metric" VALUES(5,'unfinished.C',3.0);
INSERT INTO "metric" VALUES(5,'unfinished.D',0.0);
INSERT INTO "metric" VALUES(5,'unfinished.all',3.0);
INSERT INTO "metric" VALUES(5,'unfinished.bytes',30000.0);
INSERT INTO "metric" VALUES(5,'unfinished.messages',3.0);
INSERT INTO "metric" VALUES(5,'wall_s',0.000860251);
CREATE TABLE point (series INTEGER NOT NULL REFERENCES series, t_ps INTEGER NOT NULL, value REAL NOT NULL, PRIMARY KEY (series, t_ps)) WITHOUT ROWID;
INSERT INTO "point" VALUES(1,200000000,3.6584);
INSERT INTO "point" VALUES(1,400000000,2.2146);
INSERT INTO "point" VALUES(2,200000000,2124.0);
INSERT INTO "point" VALUES(2,400000000,228.0);
INSERT INTO "point" VALUES(3,200000000,2124.0);
INSERT INTO "point" VALUES(3,400000000,228.0);
INSERT INTO "point" VALUES(4,200000000,1164.0);
INSERT INTO "point" VALUES(4,400000000,208.0);
INSERT INTO "point" VALUES(5,200000000,20000.0);
INSERT INTO "point" VALUES(5,400000000,20000.0);
INSERT INTO "point" VALUES(6,200000000,115000.0);
INSERT INTO "point" VALUES(6,400000000,0.0);
INSERT INTO "point" VALUES(7,200000000,0.0);
INSERT INTO "point" VALUES(7,400000000,0.0);
INSERT INTO "point" VALUES(8,200000000,0.0);
INSERT INTO "point" VALUES(8,400000000,0.0);
INSERT INTO "point" VALUES(9,200000000,2.9752);
INSERT INTO "point" VALUES(9,400000000,2.5168);
INSERT INTO "point" VALUES(10,200000000,4.0584);
INSERT INTO "point" VALUES(10,400000000,1.9416);
INSERT INTO "point" VALUES(11,200000000,4.4);
INSERT INTO "point" VALUES(11,400000000,1.6);
INSERT INTO "point" VALUES(12,200000000,3.2);
INSERT INTO "point" VALUES(12,400000000,2.8);
INSERT INTO "point" VALUES(13,200000000,0.0);
INSERT INTO "point" VALUES(13,400000000,0.0);
INSERT INTO "point" VALUES(14,200000000,1316.0);
INSERT INTO "point" VALUES(14,400000000,0.0);
INSERT INTO "point" VALUES(15,200000000,0.0);
INSERT INTO "point" VALUES(15,400000000,1288.0);
INSERT INTO "point" VALUES(16,200000000,0.0);
INSERT INTO "point" VALUES(16,400000000,0.0);
INSERT INTO "point" VALUES(17,200000000,1164.0);
INSERT INTO "point" VALUES(17,400000000,208.0);
INSERT INTO "point" VALUES(18,200000000,960.0);
INSERT INTO "point" VALUES(18,400000000,0.0);
INSERT INTO "point" VALUES(19,200000000,0.0);
INSERT INTO "point" VALUES(19,400000000,20.0);
INSERT INTO "point" VALUES(20,200000000,0.0);
INSERT INTO "point" VALUES(20,400000000,0.0);
INSERT INTO "point" VALUES(48,100000000,2.9168);
INSERT INTO "point" VALUES(49,100000000,8490.0);
INSERT INTO "point" VALUES(50,100000000,8490.0);
INSERT INTO "point" VALUES(51,100000000,8490.0);
INSERT INTO "point" VALUES(52,100000000,30000.0);
INSERT INTO "point" VALUES(53,100000000,0.0);
INSERT INTO "point" VALUES(54,100000000,0.0);
INSERT INTO "point" VALUES(55,100000000,0.0);
INSERT INTO "point" VALUES(56,100000000,3.2);
INSERT INTO "point" VALUES(57,100000000,2.4);
INSERT INTO "point" VALUES(58,100000000,3.6672);
INSERT INTO "point" VALUES(59,100000000,2.4);
INSERT INTO "point" VALUES(60,100000000,0.0);
INSERT INTO "point" VALUES(61,100000000,1172.0);
INSERT INTO "point" VALUES(62,100000000,0.0);
INSERT INTO "point" VALUES(63,100000000,0.0);
INSERT INTO "point" VALUES(64,100000000,0.0);
INSERT INTO "point" VALUES(65,100000000,0.0);
INSERT INTO "point" VALUES(66,100000000,8490.0);
INSERT INTO "point" VALUES(67,100000000,0.0);
CREATE TABLE run (id INTEGER PRIMARY KEY, name TEXT NOT NULL, label TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('running', 'done', 'interrupted', 'failed')), started_utc TEXT NOT NULL, weir_version TEXT, commit_id TEXT, machine TEXT, protocol TEXT, preset TEXT, seed, threads INTEGER, digest TEXT, sim_s REAL, wall_s REAL, scenario TEXT, settings TEXT, json TEXT, experiment TEXT, figure TEXT, point TEXT);
INSERT INTO "run" VALUES(3,'tiny','dctcp seed 1','done','2026-11-27T04:36:25Z','0.2.0','69a06a2826c8','Linux, 2 processors','dctcp','rfc8257',1,1,'606f6ae71a6d19ef',0.0004,0.009790121,'name: "tiny"
topology:
  kind: star
  hosts: 4
  host_link: 10 Gbps
  core_link: 400 Gbps
  host_delay: 1 us
  core_delay: 500 ns
  bdp: auto
framing:
  payload: 1460 B
  header: 58 B
  gap: 20 B
  min_wire: 84 B
  ack_wire: 84 B
protocol:
  name: dctcp
  preset: rfc8257
  g: 0.0625
  alpha: 1
  init_cwnd: 14600 B
  max_cwnd: unlimited
  ssthresh: unlimited
  min_cwnd: 2
  restart: false
  grow_always: false
host:
  connections: 40
  window: 8192
  reply_bytes: 0
  ack_every: 1
  ack_delay: 6 us
  reorder: auto
  rto_min: 1 ms
  rto_init: 5 ms
  rto_max: 1 s
  nic_queue: pull
  data_class: 1
  ack_class: 0
  short: off
  reliability: selective
  nack_interval: 500 us
  ecn: rfc8257
  handshake: false
  overhead: 0 ps
  mark: off
fabric:
  buffer: unlimited
  routing:
    mode: ecmp
    metric: hops
  port_buffer: unlimited
  alpha: 0
  priorities: 1
  lanes: off
  fair_rate: auto
  loss: 0
  reroute_delay: 0 ps
  ecn:
    where: all
    threshold: 1 BDP # 8244 B
    kmin: none
    kmax: none
    pmax: 1
    scale: none
  credit_gate:
    mode: auto
    class: 0
    credit: 84 B
    data: auto
    depth: 168 B
    queue: 672 B
  pfc:
    kind: off
    classes: data
    xoff: 500 KB
    xon: auto
    headroom: auto
    alpha_shift: 3
    reserve: 4096 B
    resume_offset: 3072 B
    storm: 1 ms
  int:
    mode: auto
    format: auto
    multi: auto
    period: 0 ps
  maxqd:
    mode: auto
    unit: 4 ns
    filter: 10 us
    at: switches
  rcp:
    mode: auto
    alpha: 0.1
    beta: 1
    gamma: 0.95
    period: auto
    floor: 0.01
    init_rate: 1
  queues:
    kind: classes
    groups: 4
traffic:
  - kind: poisson
    sizes: "10 KB"
    interpolate: auto
    load: 0.3
    load_mean: true
    start: 0 ps
    stop: never
    reply: 0 B
    measured: auto
    tenant: 0
run:
  warmup: 0 ps
  measure: 400 us
  seed: 1
  sample: 1 us
  sample_average: false
  series: 200 us
  group_a: 1460 B
  group_b: 8244 B
  group_c: 65952 B
  short: 8 KB
  start: law
  compare: none
  complete_at: receiver
  stall: 100 ms
','fabric.pfc.kind=off
host.reliability=selective
fabric.priorities=1
fabric.ecn.kmin=none
fabric.ecn.kmax=none
fabric.ecn.where=all
fabric.routing=ecmp
fabric.ecn.threshold=1 BDP
run.warmup=0 us
run.measure=400 us
run.series=200 us
run.group_a=1460 B
run.group_b=8244 B
run.group_c=65952 B
run.seed=1','{
  "version": "0.2.0",
  "scenario": "tiny",
  "protocol": "dctcp",
  "topology": "star",
  "hosts": 4,
  "seed": 1,
  "threads": 1,
  "digest": "606f6ae71a6d19ef",
  "sim_s": 0.000400000000,
  "measured_s": 0.000400000000,
  "wall_s": 0.009790121,
  "setup_s": 0.007754129,
  "interrupted": false,
  "stalled": false,
  "packet_hops": 1645,
  "packet_hops_per_s": 168026,
  "peak_rss_bytes": 8331264,
  "peak_packets_in_flight": 32,
  "bytes_per_packet": 4096,
  "connections": 22,
  "bytes_per_flow": 1221,
  "offered_gbps": 3.000000000,
  "goodput_gbps": 2.936500000,
  "goodput_completed_gbps": 2.900000000,
  "stable": false,
  "unstable_why": "less than 98 % of the offered bytes arrived in the measured part",
  "verdict": "too_short",
  "findings": [{"kind": "too_short", "place": null, "arrived": 0.978833, "longest_bytes": 10000, "longest_s": 0.000023810596, "measure_s": 0.000400000000, "warmup_s": 0.000030000000, "sim_s": 0.000400000000, "text": "97.9 % of what was offered arrived: the run is not much longer than its longest messages take (10.0 KB: about 23.81 us); measure at least 400 us, after a warm-up of 30 us"}, {"kind": "unfinished", "place": null, "messages": 2, "started": 60, "counted": 2, "slowest": null, "ends": 0, "text": "2 of 60 messages unfinished, left out of slowdown: a lower bound"}],
  "unfinished": {"messages": 2, "bytes": 20000, "all": 2, "A": 0, "B": 0, "C": 2, "D": 0},
  "messages_started": 60,
  "messages_completed": 58,
  "messages_measured": 58,
  "drops": 0,
  "losses": 0,
  "marks": 23,
  "source_marks": 0,
  "marked_short_share": null,
  "retransmissions": 0,
  "timeouts": 0,
  "tor_queue_bytes": {"mean": 2676.161, "p99": 21055, "max": 23904},
  "port_queue_bytes": {"mean": 669.040, "p99": 11615, "max": 17322},
  "tor_queue_bytes_sampled": null,
  "port_queue_bytes_sampled": null,
  "credit_bytes": null,
  "slowdown": {"all": {"count": 58, "mean": 1.463588172, "p50": 1.320351, "p95": 2.620837, "p99": 3.003962, "p999": 3.096181}, "A": {"count": 0, "mean": null, "p50": null, "p95": null, "p99": null, "p999": null}, "B": {"count": 0, "mean": null, "p50": null, "p95": null, "p99": null, "p999": null}, "C": {"count": 58, "mean": 1.463588172, "p50": 1.320351, "p95": 2.620837, "p99": 3.003962, "p999": 3.096181}, "D": {"count": 0, "mean": null, "p50": null, "p95": null, "p99": null, "p999": null}},
  "slowdown_payload": {"all": {"count": 58, "mean": 1.707597879, "p50": 1.540480, "p95": 3.057783, "p99": 3.504783, "p999": 3.612376}, "A": {"count": 0, "mean": null, "p50": null, "p95": null, "p99": null, "p999": null}, "B": {"count": 0, "mean": null, "p50": null, "p95": null, "p99": null, "p999": null}, "C": {"count": 58, "mean": 1.707597879, "p50": 1.540480, "p95": 3.057783, "p99": 3.504783, "p999": 3.612376}, "D": {"count": 0, "mean": null, "p50": null, "p95": null, "p99": null, "p999": null}},
  "completion_us": {"all": {"count": 58, "mean": 17.075980810, "p50": 15.404800, "p95": 30.577833, "p99": 35.047830, "p999": 36.123769}, "A": {"count": 0, "mean": null, "p50": null, "p95": null, "p99": null, "p999": null}, "B": {"count": 0, "mean": null, "p50": null, "p95": null, "p99": null, "p999": null}, "C": {"count": 58, "mean": 17.075980810, "p50": 15.404800, "p95": 30.577833, "p99": 35.047830, "p999": 36.123769}, "D": {"count": 0, "mean": null, "p50": null, "p95": null, "p99": null, "p999": null}},
  "rate_gbps": {"all": 5.194140, "A": null, "B": null, "C": 5.194140, "D": null},
  "jobs": null,
  "coflows": null,
  "allocation": null,
  "jain": 0.987333,
  "features": {}
}
','compare','star','dctcp seed 1');
INSERT INTO "run" VALUES(5,'tiny','tiny','done','2026-11-27T04:36:26Z','0.2.0','69a06a2826c8','Linux, 2 processors','dctcp','rfc8257',1,1,'d64a9a4fd2183705',0.0001,0.000860251,'name: "tiny"
topology:
  kind: star
  hosts: 4
  host_link: 10 Gbps
  core_link: 400 Gbps
  host_delay: 1 us
  core_delay: 500 ns
  bdp: auto
framing:
  payload: 1460 B
  header: 58 B
  gap: 20 B
  min_wire: 84 B
  ack_wire: 84 B
protocol:
  name: dctcp
  preset: rfc8257
  g: 0.0625
  alpha: 1
  init_cwnd: 14600 B
  max_cwnd: unlimited
  ssthresh: unlimited
  min_cwnd: 2
  restart: false
  grow_always: false
host:
  connections: 40
  window: 8192
  reply_bytes: 0
  ack_every: 1
  ack_delay: 6 us
  reorder: auto
  rto_min: 1 ms
  rto_init: 5 ms
  rto_max: 1 s
  nic_queue: pull
  data_class: 1
  ack_class: 0
  short: off
  reliability: selective
  nack_interval: 500 us
  ecn: rfc8257
  handshake: false
  overhead: 0 ps
  mark: off
fabric:
  buffer: unlimited
  routing:
    mode: ecmp
    metric: hops
  port_buffer: unlimited
  alpha: 0
  priorities: 1
  lanes: off
  fair_rate: auto
  loss: 0
  reroute_delay: 0 ps
  ecn:
    where: all
    threshold: 1 BDP # 8244 B
    kmin: none
    kmax: none
    pmax: 1
    scale: none
  credit_gate:
    mode: auto
    class: 0
    credit: 84 B
    data: auto
    depth: 168 B
    queue: 672 B
  pfc:
    kind: off
    classes: data
    xoff: 500 KB
    xon: auto
    headroom: auto
    alpha_shift: 3
    reserve: 4096 B
    resume_offset: 3072 B
    storm: 1 ms
  int:
    mode: auto
    format: auto
    multi: auto
    period: 0 ps
  maxqd:
    mode: auto
    unit: 4 ns
    filter: 10 us
    at: switches
  rcp:
    mode: auto
    alpha: 0.1
    beta: 1
    gamma: 0.95
    period: auto
    floor: 0.01
    init_rate: 1
  queues:
    kind: classes
    groups: 4
traffic:
  - kind: poisson
    sizes: "10 KB"
    interpolate: auto
    load: 0.3
    load_mean: true
    start: 0 ps
    stop: never
    reply: 0 B
    measured: auto
    tenant: 0
run:
  warmup: 0 ps
  measure: 100 us
  seed: 1
  sample: 1 us
  sample_average: false
  series: 100 us
  group_a: auto
  group_b: auto
  group_c: auto
  short: 8 KB
  start: law
  compare: none
  complete_at: receiver
  stall: 100 ms
','run.warmup=0 us
run.measure=100 us
run.series=100 us','{
  "version": "0.2.0",
  "scenario": "tiny",
  "protocol": "dctcp",
  "topology": "star",
  "hosts": 4,
  "seed": 1,
  "threads": 1,
  "digest": "d64a9a4fd2183705",
  "sim_s": 0.000100000000,
  "measured_s": 0.000100000000,
  "wall_s": 0.000860251,
  "setup_s": 0.002119624,
  "interrupted": false,
  "stalled": false,
  "packet_hops": 413,
  "packet_hops_per_s": 480092,
  "peak_rss_bytes": 8622080,
  "peak_packets_in_flight": 18,
  "bytes_per_packet": 7281,
  "connections": 13,
  "bytes_per_flow": 2067,
  "offered_gbps": 3.400000000,
  "goodput_gbps": 2.916800000,
  "goodput_completed_gbps": 2.800000000,
  "stable": false,
  "unstable_why": "less than 98 % of the offered bytes arrived in the measured part",
  "verdict": "too_short",
  "findings": [{"kind": "too_short", "place": null, "arrived": 0.857882, "longest_bytes": 10000, "longest_s": 0.000023810596, "measure_s": 0.000300000000, "warmup_s": 0.000030000000, "sim_s": 0.000100000000, "text": "85.8 % of what was offered arrived: the run is not much longer than its longest messages take (10.0 KB: about 23.81 us); measure at least 300 us, after a warm-up of 30 us"}, {"kind": "unfinished", "place": null, "messages": 3, "started": 17, "counted": 3, "slowest": null, "ends": 0, "text": "3 of 17 messages unfinished, left out of slowdown: a lower bound"}],
  "unfinished": {"messages": 3, "bytes": 30000, "all": 3, "A": 0, "B": 0, "C": 3, "D": 0},
  "messages_started": 17,
  "messages_completed": 14,
  "messages_measured": 14,
  "drops": 0,
  "losses": 0,
  "marks": 0,
  "source_marks": 0,
  "marked_short_share": null,
  "retransmissions": 0,
  "timeouts": 0,
  "tor_queue_bytes": {"mean": 1843.349, "p99": 8015, "max": 9144},
  "port_queue_bytes": {"mean": 460.837, "p99": 6543, "max": 9144},
  "tor_queue_bytes_sampled": null,
  "port_queue_bytes_sampled": null,
  "credit_bytes": null,
  "slowdown": {"all": {"count": 14, "mean": 1.081130214, "p50": 1.028798, "p95": 1.351950, "p99": 1.404807, "p999": 1.416700}, "A": {"count": 0, "mean": null, "p50": null, "p95": null, "p99": null, "p999": null}, "B": {"count": 0, "mean": null, "p50": null, "p95": null, "p99": null, "p999": null}, "C": {"count": 14, "mean": 1.081130214, "p50": 1.028798, "p95": 1.351950, "p99": 1.404807, "p999": 1.416700}, "D": {"count": 0, "mean": null, "p50": null, "p95": null, "p99": null, "p999": null}},
  "slowdown_payload": {"all": {"count": 14, "mean": 1.261376428, "p50": 1.200320, "p95": 1.577348, "p99": 1.639016, "p999": 1.652891}, "A": {"count": 0, "mean": null, "p50": null, "p95": null, "p99": null, "p999": null}, "B": {"count": 0, "mean": null, "p50": null, "p95": null, "p99": null, "p999": null}, "C": {"count": 14, "mean": 1.261376428, "p50": 1.200320, "p95": 1.577348, "p99": 1.639016, "p999": 1.652891}, "D": {"count": 0, "mean": null, "p50": null, "p95": null, "p99": null, "p999": null}},
  "completion_us": {"all": {"count": 14, "mean": 12.613766214, "p50": 12.003200, "p95": 15.773478, "p99": 16.390165, "p999": 16.528920}, "A": {"count": 0, "mean": null, "p50": null, "p95": null, "p99": null, "p999": null}, "B": {"count": 0, "mean": null, "p50": null, "p95": null, "p99": null, "p999": null}, "C": {"count": 14, "mean": 12.613766214, "p50": 12.003200, "p95": 15.773478, "p99": 16.390165, "p999": 16.528920}, "D": {"count": 0, "mean": null, "p50": null, "p95": null, "p99": null, "p999": null}},
  "rate_gbps": {"all": 6.412625, "A": null, "B": null, "C": 6.412625, "D": null},
  "jobs": null,
  "coflows": null,
  "allocation": null,
  "jain": 0.858203,
  "features": {}
}
',NULL,NULL,NULL);
CREATE TABLE series (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run, name TEXT NOT NULL, unit TEXT NOT NULL, place TEXT);
INSERT INTO "series" VALUES(1,3,'goodput','Gbps',NULL);
INSERT INTO "series" VALUES(2,3,'tor_queue_max','bytes',NULL);
INSERT INTO "series" VALUES(3,3,'tor_queue_mean','bytes',NULL);
INSERT INTO "series" VALUES(4,3,'port_queue_max','bytes',NULL);
INSERT INTO "series" VALUES(5,3,'unfinished','bytes',NULL);
INSERT INTO "series" VALUES(6,3,'marks','per second',NULL);
INSERT INTO "series" VALUES(7,3,'drops','per second',NULL);
INSERT INTO "series" VALUES(8,3,'retransmissions','per second',NULL);
INSERT INTO "series" VALUES(9,3,'host_goodput','Gbps','host 0');
INSERT INTO "series" VALUES(10,3,'host_goodput','Gbps','host 1');
INSERT INTO "series" VALUES(11,3,'host_goodput','Gbps','host 2');
INSERT INTO "series" VALUES(12,3,'host_goodput','Gbps','host 3');
INSERT INTO "series" VALUES(13,3,'port_queue','bytes','host 0 > switch 0');
INSERT INTO "series" VALUES(14,3,'port_queue','bytes','host 1 > switch 0');
INSERT INTO "series" VALUES(15,3,'port_queue','bytes','host 2 > switch 0');
INSERT INTO "series" VALUES(16,3,'port_queue','bytes','host 3 > switch 0');
INSERT INTO "series" VALUES(17,3,'port_queue','bytes','switch 0 > host 0');
INSERT INTO "series" VALUES(18,3,'port_queue','bytes','switch 0 > host 1');
INSERT INTO "series" VALUES(19,3,'port_queue','bytes','switch 0 > host 2');
INSERT INTO "series" VALUES(20,3,'port_queue','bytes','switch 0 > host 3');
INSERT INTO "series" VALUES(48,5,'goodput','Gbps',NULL);
INSERT INTO "series" VALUES(49,5,'tor_queue_max','bytes',NULL);
INSERT INTO "series" VALUES(50,5,'tor_queue_mean','bytes',NULL);
INSERT INTO "series" VALUES(51,5,'port_queue_max','bytes',NULL);
INSERT INTO "series" VALUES(52,5,'unfinished','bytes',NULL);
INSERT INTO "series" VALUES(53,5,'marks','per second',NULL);
INSERT INTO "series" VALUES(54,5,'drops','per second',NULL);
INSERT INTO "series" VALUES(55,5,'retransmissions','per second',NULL);
INSERT INTO "series" VALUES(56,5,'host_goodput','Gbps','host 0');
INSERT INTO "series" VALUES(57,5,'host_goodput','Gbps','host 1');
INSERT INTO "series" VALUES(58,5,'host_goodput','Gbps','host 2');
INSERT INTO "series" VALUES(59,5,'host_goodput','Gbps','host 3');
INSERT INTO "series" VALUES(60,5,'port_queue','bytes','host 0 > switch 0');
INSERT INTO "series" VALUES(61,5,'port_queue','bytes','host 1 > switch 0');
INSERT INTO "series" VALUES(62,5,'port_queue','bytes','host 2 > switch 0');
INSERT INTO "series" VALUES(63,5,'port_queue','bytes','host 3 > switch 0');
INSERT INTO "series" VALUES(64,5,'port_queue','bytes','switch 0 > host 0');
INSERT INTO "series" VALUES(65,5,'port_queue','bytes','switch 0 > host 1');
INSERT INTO "series" VALUES(66,5,'port_queue','bytes','switch 0 > host 2');
INSERT INTO "series" VALUES(67,5,'port_queue','bytes','switch 0 > host 3');
CREATE INDEX series_by_run ON series (run, name);
COMMIT;
