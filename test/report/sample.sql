-- A result file as doc/results.md describes it, with made-up numbers: run 1 stands alone and has four hosts; runs 2 to 17 are a sweep of
-- two workloads, two protocols and four loads; of the last three one goes on, one failed and one was interrupted.
BEGIN;
PRAGMA application_id = 1466263922;
PRAGMA user_version = 1;
CREATE TABLE run (id INTEGER PRIMARY KEY, name TEXT NOT NULL, label TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('running', 'done', 'interrupted', 'failed')), started_utc TEXT NOT NULL,
  weir_version TEXT, commit_id TEXT, machine TEXT, protocol TEXT, preset TEXT, seed, threads INTEGER, digest TEXT,
  sim_s REAL, wall_s REAL, scenario TEXT, settings TEXT, json TEXT, experiment TEXT, figure TEXT, point TEXT);
CREATE TABLE message (run INTEGER NOT NULL REFERENCES run, id INTEGER NOT NULL, src INTEGER NOT NULL, dst INTEGER NOT NULL,
  item INTEGER NOT NULL, bytes INTEGER NOT NULL, start_ps INTEGER NOT NULL, end_ps INTEGER NOT NULL,
  ideal_ps INTEGER NOT NULL, payload_ideal_ps INTEGER NOT NULL, retransmissions INTEGER NOT NULL, marks INTEGER NOT NULL);
CREATE TABLE series (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run, name TEXT NOT NULL, unit TEXT NOT NULL,
  place TEXT);
CREATE INDEX series_by_run ON series (run, name);
CREATE TABLE point (series INTEGER NOT NULL REFERENCES series, t_ps INTEGER NOT NULL, value REAL NOT NULL,
  PRIMARY KEY (series, t_ps)) WITHOUT ROWID;
CREATE TABLE histogram (run INTEGER NOT NULL REFERENCES run, name TEXT NOT NULL, unit TEXT NOT NULL, lo REAL NOT NULL,
  hi REAL NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (run, name, lo)) WITHOUT ROWID;
CREATE TABLE by_size (run INTEGER NOT NULL REFERENCES run, denominator TEXT NOT NULL, lo_bytes INTEGER NOT NULL,
  hi_bytes INTEGER NOT NULL, count INTEGER NOT NULL, p50 REAL NOT NULL, p99 REAL NOT NULL,
  PRIMARY KEY (run, denominator, lo_bytes)) WITHOUT ROWID;
CREATE TABLE metric (run INTEGER NOT NULL REFERENCES run, name TEXT NOT NULL, value REAL, PRIMARY KEY (run, name)) WITHOUT ROWID;

-- What the numbers below are made from: `hard` grows with load and is greater without credit; load in percent.
CREATE TEMP TABLE plan (id INTEGER PRIMARY KEY, protocol TEXT, workload TEXT, load INTEGER, hard REAL);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 15)
  INSERT INTO plan SELECT 2 + i, iif(i / 4 % 2 = 0, 'dctcp', 'sird'), iif(i / 8 = 0, 'wka', 'wkc'), 25 + 20 * (i % 4),
    iif(i / 4 % 2 = 0, 4.0, 1.0) / (1.05 - (25 + 20 * (i % 4)) / 100.0) FROM n;
INSERT INTO plan VALUES (1, 'sird', 'wkc', 50, 1.5), (18, 'sird', 'wkc', 50, 1.5), (19, 'dctcp', 'wkc', 50, 5), (20, 'dctcp', 'wkc', 60, 6);

INSERT INTO run SELECT id, iif(id = 1, 'Four hosts & "one" <switch>', 'sird-balanced'),
  CASE id WHEN 1 THEN 'Four hosts & "one" <switch>' WHEN 18 THEN 'B=1.5 SThr=0.5' WHEN 19 THEN 'B=1.5 SThr=inf' WHEN 20 THEN 'B=2 SThr=inf'
    ELSE workload || ' ' || protocol || ' ' || load || '%' END,
  CASE id WHEN 18 THEN 'running' WHEN 19 THEN 'failed' WHEN 20 THEN 'interrupted' ELSE 'done' END,
  '2025-01-0' || (1 + id % 9) || 'T12:00:00Z', '0.1.0', '5f9c3e5', 'x86_64, 2 processors', protocol, iif(id = 1, 'paper', 'ns2'), 1, 2,
  CASE WHEN id < 18 OR id = 20 THEN printf('%016x', 81985529216486895 * id) END, iif(id < 18, 0.0125, NULL), iif(id < 18, 3.5 * hard, NULL),
  'name: ' || iif(id = 1, 'Four hosts & "one" <switch>', 'sird-balanced') || char(10) || 'topology: {kind: leaf-spine, hosts: 144}' || char(10)
    || 'protocol: {name: ' || protocol || ', B: 1.5 BDP}' || char(10) || 'traffic:' || char(10)
    || '  - {kind: poisson, sizes: ' || workload || ', load: ' || load || '%}' || char(10)
    || '  - {kind: incast, fan_in: 30, size: 500 KB, share: 7%}' || char(10) || 'run: {warmup: 2.5 ms, measure: 10 ms, seed: 1}' || char(10),
  'traffic[0].load=' || load || '%',
  CASE WHEN id < 18 THEN json_object('topology', iif(id = 1, 'star', 'leaf-spine'), 'hosts', iif(id = 1, 4, 144), 'measured_s', 0.01, 'slowdown', json_object('all', json_object('count', 12345 * load)),
    'stable', json(iif(id = 9, 'false', 'true')), 'unstable_why', iif(id = 9, 'unfinished bytes grew by 23 % of what was offered', NULL)) END,
  iif(id = 1, NULL, 'sird'), CASE WHEN id = 1 THEN NULL WHEN id < 18 THEN 'tables' ELSE 'fig9' END, iif(id = 1, NULL, 'p' || id)
  FROM plan ORDER BY id;

INSERT INTO metric SELECT id, 'offered_gbps', load * 0.998 FROM plan WHERE id < 18;
INSERT INTO metric SELECT id, 'goodput_gbps', min(load * 0.997, iif(protocol = 'sird', 81.3, 78.9)) FROM plan WHERE id < 18;
INSERT INTO metric SELECT id, 'goodput_completed_gbps', min(load * 0.991, 78.25) FROM plan WHERE id < 18;
INSERT INTO metric SELECT id, 'slowdown.all.p50', 1 + 0.13 * hard FROM plan WHERE id < 18;
INSERT INTO metric SELECT id, 'slowdown.all.p99', 1 + 2.37 * hard FROM plan WHERE id < 18;
INSERT INTO metric SELECT id, 'slowdown_payload.all.p50', 1.2 + 0.14 * hard FROM plan WHERE id < 18;
INSERT INTO metric SELECT id, 'slowdown_payload.all.p99', 1.5 + 2.41 * hard FROM plan WHERE id < 18;
INSERT INTO metric SELECT id, 'tor_queue_bytes.mean', 23456.789 * hard FROM plan WHERE id < 18;
INSERT INTO metric SELECT id, 'tor_queue_bytes.p99', 187654.0 * hard FROM plan WHERE id < 18;
INSERT INTO metric SELECT id, 'tor_queue_bytes.max', 612345.0 * hard FROM plan WHERE id < 18;
INSERT INTO metric SELECT id, 'port_queue_bytes.max', 412345.0 * hard FROM plan WHERE id < 18;
INSERT INTO metric SELECT id, 'messages_measured', 12345 * load FROM plan WHERE id < 18;
INSERT INTO metric SELECT id, 'drops', iif(id = 9, 17, 0) FROM plan WHERE id < 18;
INSERT INTO metric SELECT id, 'marks', iif(protocol = 'dctcp', 23456789, 0) FROM plan WHERE id < 18;
INSERT INTO metric SELECT id, 'retransmissions', iif(id = 9, 21, 0) FROM plan WHERE id < 18;
INSERT INTO metric SELECT id, 'jain', NULL FROM plan WHERE id < 18;

-- Four bins per decade; 10^(1/4) and its powers, rounded.
CREATE TEMP TABLE bin (i INTEGER PRIMARY KEY, lo INTEGER, hi INTEGER);
WITH RECURSIVE n(i, decade) AS (SELECT 8, 100 UNION ALL SELECT i + 1, iif(i % 4 = 3, decade * 10, decade) FROM n WHERE i < 27)
  INSERT INTO bin SELECT i, CAST(decade * CASE i % 4 WHEN 0 THEN 1.0 WHEN 1 THEN 1.77828 WHEN 2 THEN 3.16228 ELSE 5.62341 END AS INTEGER),
    CAST(decade * CASE i % 4 WHEN 0 THEN 1.77828 WHEN 1 THEN 3.16228 WHEN 2 THEN 5.62341 ELSE 10.0 END AS INTEGER) FROM n;
INSERT INTO by_size SELECT id, 'ideal', lo, hi, CAST(100000 / (1 + abs(i - 14) * abs(i - 14) * (i - 7)) AS INTEGER) + 3,
    1.01 + hard * i * i / 4000.0 + (i * 7 % 5) / 50.0, 1.3 + hard * (i * i / 250.0 + (i * 11 % 7) / 10.0) FROM plan, bin WHERE id < 18;
INSERT INTO by_size SELECT run, 'payload', lo_bytes, hi_bytes, count, p50 * 1.1, p99 * 1.2 FROM by_size;

WITH RECURSIVE n(i, lo) AS (SELECT 0, 1.0 UNION ALL SELECT i + 1, lo * 1.08 FROM n WHERE i < 60)
  INSERT INTO histogram SELECT id, 'slowdown', 'ratio', 1 + (lo - 1) * hard / 3, 1 + (lo * 1.08 - 1) * hard / 3,
    CAST(900000 / ((1 + i) * (1 + i * i / 9.0)) AS INTEGER) FROM plan, n WHERE id < 18;
WITH RECURSIVE n(i, lo) AS (SELECT 0, 1000.0 UNION ALL SELECT i + 1, lo * 1.1 FROM n WHERE i < 60)
  INSERT INTO histogram SELECT id, 'tor_queue', 'bytes', lo * hard, lo * 1.1 * hard,
    CAST(90000 / (1 + abs(i - 25) * abs(i - 25) / 9.0 * (1 + i / 9.0)) AS INTEGER) + 1 FROM plan, n WHERE id < 18;
INSERT INTO histogram SELECT id, 'tor_queue', 'bytes', 0, 1, 20000 FROM plan WHERE id < 18;

CREATE TEMP TABLE tick (i INTEGER PRIMARY KEY, noise REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
  INSERT INTO tick SELECT i, (i * 7919 % 101 + i / 3 * 104729 % 97 + i / 20 * 611953 % 89) / 287.0 FROM n;
CREATE TEMP TABLE kind (name TEXT, unit TEXT, base REAL, swing REAL);
INSERT INTO kind VALUES ('goodput', 'Gbps', 0.9, 0.2), ('tor_queue_mean', 'bytes', 12000, 24000), ('tor_queue_max', 'bytes', 60000, 500000),
  ('port_queue_max', 'bytes', 40000, 300000), ('unfinished', 'bytes', 5000000, 4000000), ('marks', '1/s', 0, 0), ('drops', '1/s', 0, 0),
  ('retransmissions', '1/s', 0, 0);
INSERT INTO series (run, name, unit) SELECT id, name, unit FROM plan, kind WHERE id < 18;
INSERT INTO series (run, name, unit) SELECT id, column1, 'bytes' FROM plan, (VALUES ('credit_at_senders'), ('credit_in_flight'), ('credit_at_receivers'))
  WHERE id < 18 AND protocol = 'sird';
INSERT INTO point SELECT s.id, t.i * 25000000, CASE s.name WHEN 'goodput' THEN p.load * (k.base + k.swing * t.noise)
    WHEN 'unfinished' THEN p.hard * (k.base + k.swing * t.noise) * iif(p.id = 9, t.i / 60.0, 1) WHEN 'marks' THEN iif(p.protocol = 'dctcp', 2e6 * t.noise, 0)
    ELSE p.hard * (k.base + k.swing * t.noise * t.noise) * min(1, t.i / 60.0) END
  FROM series AS s JOIN plan AS p ON p.id = s.run JOIN kind AS k ON k.name = s.name, tick AS t;
INSERT INTO point SELECT s.id, t.i * 25000000, CASE s.name WHEN 'credit_at_senders' THEN 20000 + 30000 * t.noise
    WHEN 'credit_in_flight' THEN 60000 * min(1, t.i / 40.0) ELSE 150000 - 60000 * min(1, t.i / 40.0) - 20000 - 30000 * t.noise END
  FROM series AS s, tick AS t WHERE s.name LIKE 'credit%';

INSERT INTO series (run, name, unit, place) SELECT 1, column1, column2, 'host ' || h FROM (VALUES ('host_goodput', 'Gbps'), ('host_credit_held', 'bytes')),
  (SELECT i - 1 AS h FROM tick WHERE i <= 4);
INSERT INTO series (run, name, unit, place) SELECT 1, 'port_queue', 'bytes', 'host ' || (i - 1) || ' > switch 0' FROM tick WHERE i <= 4
  UNION ALL SELECT 1, 'port_queue', 'bytes', 'switch 0 > host ' || (i - 1) FROM tick WHERE i <= 5;
INSERT INTO series (run, name, unit, place) VALUES (1, 'port_queue', 'bytes', 'spare <port>');
INSERT INTO point SELECT s.id, t.i * 25000000, iif(s.name = 'host_goodput', 40 + s.id % 5 * 3, 20000.0 * (s.id % 6)) * (0.8 + 0.4 * t.noise)
  FROM series AS s, tick AS t WHERE s.place IS NOT NULL;
COMMIT;
