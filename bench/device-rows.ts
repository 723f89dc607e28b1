// The fleet of P4: rows as they would be after two years of a customer's work, put there by SQL.
import type pg from 'pg'

export type Fleet = { account_kid: string; devices: number; groups: number }

/** Time-ordered like the product's own kids, so that indexes grow as they would. */
const kid = (salt: string) =>
  `(lpad(to_hex(1700000000000 + n * 61), 12, '0') || '7' || substr(md5(n::text || ${salt}), 1, 3) || '8' || substr(md5(${salt} || n::text), 1, 15))::uuid`

/** Adds groups below those of the account and `devices` spread over all of them, some in none. */
export async function insertFleet(client: pg.Client, { account_kid, devices, groups }: Fleet): Promise<void> {
  await client.query(
    `INSERT INTO terminal_group (kid, account_kid, parent_kid, name, depth)
     SELECT gen_random_uuid(), $1, p.kid, 'Route ' || n, p.depth + 1
     FROM generate_series(1, $2::int) n,
       LATERAL (SELECT kid, depth FROM terminal_group WHERE account_kid = $1 AND name NOT LIKE 'Route %' ORDER BY md5(kid::text || n) LIMIT 1) p`,
    [account_kid, groups],
  )
  // Models and versions as fleets have them: two that most are of, and a long tail.
  await client.query(
    `WITH g AS (SELECT array_agg(kid ORDER BY kid) AS kids FROM terminal_group WHERE account_kid = $1),
     r AS (SELECT n, hashint8(n * 7919)::bigint & 2147483647 AS h FROM generate_series(1, $2::bigint) n)
     INSERT INTO terminal (kid, account_kid, terminal_group_kid, sn, name, model, os_name, os_version, imei, claim_hash, registered_at, tags)
     SELECT ${kid('$1::text')}, $1,
       CASE WHEN h % 100 < 15 THEN NULL ELSE g.kids[1 + (h / 100) % cardinality(g.kids)] END,
       substr($1::text, 25, 4) || upper(substr(md5(n::text), 1, 4)) || lpad(n::text, 8, '0'),
       CASE WHEN h % 5 < 2 THEN '' ELSE (ARRAY['Till', 'Scanner', 'Kho Hà Nội', 'Handheld', 'Kiosk'])[1 + h % 5] || ' ' || (h % 5000) END,
       'Model ' || chr(65 + floor(20 * power((h % 1000) / 1000.0, 3))::int),
       'Android', (8 + floor(7 * sqrt((h % 997) / 997.0))::int) || '.' || (h % 3),
       CASE WHEN h % 10 < 7 THEN lpad((350000000000000 + n)::text, 15, '0') END,
       ''::bytea, timestamptz '2024-07-01' + n * interval '700 days' / $2::bigint,
       CASE WHEN h % 211 = 0 THEN ARRAY['vip'] WHEN h % 7 < 2 THEN ARRAY['lab'] ELSE '{}' END
     FROM r, g`,
    [account_kid, devices],
  )
  await client.query(
    `INSERT INTO terminal_state (terminal_kid, account_kid, is_online, last_online_at, battery_level, battery_charging,
       network_type, signal, battery, network, run, foreground_app, fence_state)
     SELECT kid, account_kid, h % 10 < 6,
       CASE WHEN h % 100 >= 3 THEN registered_at + (h % 100000) * interval '1 minute' END,
       CASE WHEN h % 11 > 0 THEN (h / 11) % 101 END, CASE WHEN h % 11 > 0 THEN 'none' END,
       'wifi', -30 - h % 60, '{"level": 50, "temperature": 31.5, "health": "good"}', jsonb_build_object('type', 'wifi', 'is_metered', h % 53 = 0, 'is_roaming', h % 409 = 0),
       '{"cpu": 12.5, "memory_used": 1200000000, "memory_total": 4000000000}', CASE WHEN h % 31 > 0 THEN 'com.acme' END,
       CASE WHEN h % 17 = 0 THEN 'outside' WHEN h % 17 < 6 THEN 'inside' END
     FROM (SELECT kid, account_kid, registered_at, hashtext(kid::text)::bigint & 2147483647 AS h FROM terminal WHERE account_kid = $1) t
     ON CONFLICT DO NOTHING`,
    [account_kid],
  )
}
