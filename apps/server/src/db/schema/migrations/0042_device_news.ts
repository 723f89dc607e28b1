import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** What webhooks hear of devices: that they came and went, and that they are silent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await schema.execute(db)
}

const schema = sql`
  -- Waits to be told to webhooks. Written by the database itself, so that no way in or out is forgotten.
  CREATE TABLE terminal_news (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_kid uuid NOT NULL,
    terminal_kid uuid NOT NULL,
    event text NOT NULL CHECK (event IN ('device.registered', 'device.deregistered')),
    device jsonb NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
  );

  CREATE FUNCTION is_heard(event text, of_account uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
      SELECT FROM webhook w JOIN account a ON a.kid = w.account_kid
      WHERE w.is_enabled AND event = ANY (w.events) AND (a.kid = of_account OR a.type = 101))
  $$;
  CREATE FUNCTION terminal_told() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO terminal_news (account_kid, terminal_kid, event, device)
      SELECT f.account_kid, f.kid, 'device.registered', jsonb_build_object('sn', f.sn, 'name', f.name, 'model', f.model,
        'terminal_group_kid', f.terminal_group_kid, 'agent_kind', f.agent_kind, 'work_order', f.work_order,
        'qrcode_kid', f.qrcode_kid)
      FROM fresh f
      WHERE f.account_kid IN (
        SELECT e.account_kid FROM (SELECT DISTINCT account_kid FROM fresh) e
        WHERE is_heard('device.registered', e.account_kid))
      ORDER BY f.kid;
    ELSE
      INSERT INTO terminal_news (account_kid, terminal_kid, event, device)
      SELECT g.account_kid, g.kid, 'device.deregistered', jsonb_build_object('sn', g.sn, 'name', g.name,
        'model', g.model, 'terminal_group_kid', g.terminal_group_kid, 'agent_kind', g.agent_kind,
        'is_scrapped', EXISTS (SELECT FROM scrapped_sn s WHERE s.sn = g.sn))
      FROM gone g
      WHERE g.account_kid IN (
        SELECT e.account_kid FROM (SELECT DISTINCT account_kid FROM gone) e
        WHERE is_heard('device.deregistered', e.account_kid))
      ORDER BY g.kid;
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER terminal_told_registered AFTER INSERT ON terminal REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION terminal_told();
  CREATE TRIGGER terminal_told_deregistered AFTER DELETE ON terminal REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION terminal_told();

  -- For how long a device is silent before this webhook hears of it; silences before it began to listen are no news.
  ALTER TABLE webhook ADD COLUMN offline_minutes integer NOT NULL DEFAULT 60 CHECK (offline_minutes > 0);
  ALTER TABLE webhook ADD COLUMN silences_from timestamptz NOT NULL DEFAULT now();

  -- Devices whose silence a webhook was told of, until they are heard of again.
  CREATE TABLE webhook_silence (
    webhook_kid uuid NOT NULL REFERENCES webhook ON DELETE CASCADE,
    terminal_kid uuid NOT NULL REFERENCES terminal ON DELETE CASCADE,
    account_kid uuid NOT NULL,
    silent_since timestamptz NOT NULL,
    PRIMARY KEY (webhook_kid, terminal_kid)
  );
  CREATE INDEX webhook_silence_terminal ON webhook_silence (terminal_kid);
`
