-- Rows of every area as the code stores them at present. A release keeps its copy (CONTRIBUTING.md, Change the schema).

-- People
INSERT INTO account (kid, parent_kid, type, name, terminal_max) VALUES
  ('00000000-0000-7000-8000-00000000a001', NULL, 101, 'Provider', 0),
  ('00000000-0000-7000-8000-00000000a002', NULL, 1, 'Sunrise Parcel', 100),
  ('00000000-0000-7000-8000-00000000a003', '00000000-0000-7000-8000-00000000a002', 2, 'Sunrise North', 10);
INSERT INTO user_account (kid, account_kid, type, username, name, password_hash, phone, email, language, totp_recovery) VALUES
  ('00000000-0000-7000-8000-00000000b001', '00000000-0000-7000-8000-00000000a001', 101, 'operator', 'Operator', 'hash', NULL, NULL, 'en', '{}'),
  ('00000000-0000-7000-8000-00000000b002', '00000000-0000-7000-8000-00000000a002', 1, 'sunrise', 'Sunrise', 'hash', '+8490111', 'it@sunrise.example', 'vi', '{one,two}');
UPDATE account SET fae_kid = '00000000-0000-7000-8000-00000000b001' WHERE type = 1;
INSERT INTO role (kid, account_kid, code, name, permissions) VALUES
  ('00000000-0000-7000-8000-00000000b101', '00000000-0000-7000-8000-00000000a002', 'admin', 'Administrator', '{deviceList,deviceList:edit}');
INSERT INTO user_role VALUES ('00000000-0000-7000-8000-00000000b002', '00000000-0000-7000-8000-00000000b101');
INSERT INTO api_token (kid, user_kid, name, prefix, token_hash, permissions, created_at, expires_at) VALUES
  ('00000000-0000-7000-8000-00000000b201', '00000000-0000-7000-8000-00000000b002', 'ERP', 'mdm_abc', '\x01', '{deviceList}', '2026-01-05', '2027-01-05');
INSERT INTO password_link (user_kid, kind, token_hash, email, created_at, expires_at) VALUES
  ('00000000-0000-7000-8000-00000000b002', 'password_reset', '\x03', 'it@sunrise.example', '2026-01-05', '2026-01-05');
INSERT INTO passkey (kid, user_kid, name, credential_id, public_key, counter, is_synced, created_at) VALUES
  ('00000000-0000-7000-8000-00000000b203', '00000000-0000-7000-8000-00000000b002', 'Laptop', 'abc', '\x04', 7, false, '2026-01-05');
INSERT INTO forgotten_password (kid, username, language, created_at) VALUES
  ('00000000-0000-7000-8000-00000000b202', 'sunrise', 'vi', '2026-01-05');
INSERT INTO menu_tree (kid, code, name, type, end_type, sort, is_seeded) VALUES
  ('00000000-0000-7000-8000-00000000b301', 'device-manages', '{"en": "Devices", "vi": "Thiết bị", "zh-cn": "设备"}', 'module', 1, 1, true);

-- Devices, of which one has reported
INSERT INTO terminal_group (kid, account_kid, name, depth) VALUES
  ('00000000-0000-7000-8000-00000000c001', '00000000-0000-7000-8000-00000000a002', 'Hanoi', 1);
INSERT INTO terminal (kid, account_kid, terminal_group_kid, sn, name, model, claim_hash, registered_at, fields, tags) VALUES
  ('00000000-0000-7000-8000-00000000c101', '00000000-0000-7000-8000-00000000a002', '00000000-0000-7000-8000-00000000c001', 'CE0117', 'Till 1', 'M1', '\x01', '2026-01-05', '{"f": 1}', '{shop}'),
  ('00000000-0000-7000-8000-00000000c102', '00000000-0000-7000-8000-00000000a003', NULL, 'CE0118', '', 'M1', '\x02', '2026-01-06', '{}', '{}');
INSERT INTO terminal_lost VALUES
  ('00000000-0000-7000-8000-00000000a002', 'CE0117', '00000000-0000-7000-8000-00000000c101', 3, 'Please call us', '+84 90 111', '2026-01-07', 'Sunrise', NULL, NULL, NULL, NULL, NULL, '00000000-0000-7000-8000-00000000e001');
UPDATE terminal SET note = 'Screen replaced in May' WHERE sn = 'CE0117';
INSERT INTO terminal_state (terminal_kid, account_kid, is_asleep, battery_level, network, run) VALUES
  ('00000000-0000-7000-8000-00000000c101', '00000000-0000-7000-8000-00000000a002', true, 80, '{"is_metered": true}', '{"storage_total": 100, "storage_used": 95}');
INSERT INTO terminal_agent (terminal_kid, account_kid, hardware_hash, enrolled_at, kept, token_hash) VALUES
  ('00000000-0000-7000-8000-00000000c101', '00000000-0000-7000-8000-00000000a002', 'ab12', '2026-01-05', '{"open": []}', '\x0a');
INSERT INTO terminal_position (terminal_kid, account_kid, longitude, latitude, at, received_at) VALUES
  ('00000000-0000-7000-8000-00000000c101', '00000000-0000-7000-8000-00000000a002', 105.8, 21, '2026-01-05', '2026-01-05');
INSERT INTO terminal_app (terminal_kid, account_kid, package, version) VALUES
  ('00000000-0000-7000-8000-00000000c101', '00000000-0000-7000-8000-00000000a002', 'com.example.till', '1.10');

-- Enrolment
INSERT INTO qrcode (kid, account_kid, token_hash, created_by_kid, is_permanent) VALUES
  ('00000000-0000-7000-8000-00000000c201', '00000000-0000-7000-8000-00000000a002', '\x01', '00000000-0000-7000-8000-00000000b002', true);
INSERT INTO announcement (sn, claim_hash, registration_code, device, address, announced_at, expires_at, account_kid, qrcode_kid, agent_kind, hardware_hash, identity) VALUES
  ('MENDER-1', '\x01', 'ABCDEF', '{"model": ""}', '198.51.100.0/24', '2026-01-05', '2026-01-12', '00000000-0000-7000-8000-00000000a002', '00000000-0000-7000-8000-00000000c201', 'mender', 'cd34', 'mac=02:00');
INSERT INTO policy (kid, name, days, created_at, updated_at) VALUES
  ('00000000-0000-7000-8000-00000000c301', 'Two years', 730, '2026-01-05', '2026-01-05');
INSERT INTO terminal_policy (kid, policy_kid, sn, work_order, source, starts_at, ends_at, created_by, created_at) VALUES
  ('00000000-0000-7000-8000-00000000c302', '00000000-0000-7000-8000-00000000c301', 'CE0117', 'W1', 'mes', '2026-01-05', '2028-01-05', 'Operator', '2026-01-05');

-- Telemetry, in the partition of a month
CREATE TABLE terminal_event_y2026m01 PARTITION OF terminal_event FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
INSERT INTO terminal_event (kid, account_kid, terminal_kid, type, at, received_at, detail) VALUES
  ('00000000-0000-7000-8000-00000000c401', '00000000-0000-7000-8000-00000000a002', '00000000-0000-7000-8000-00000000c101', 'boot', '2026-01-05', '2026-01-05', '{}');

-- Content
INSERT INTO file_cloud (kid, account_kid, parent_kid, is_folder, name, size, md5, sha256, content_type, object, created_by_kid, created_by, created_at) VALUES
  ('00000000-0000-7000-8000-00000000d001', '00000000-0000-7000-8000-00000000a002', NULL, true, 'Prices', 0, '', '', '', NULL, '00000000-0000-7000-8000-00000000b002', 'Sunrise', '2026-01-05'),
  ('00000000-0000-7000-8000-00000000d002', '00000000-0000-7000-8000-00000000a002', '00000000-0000-7000-8000-00000000d001', false, 'january.csv', 7, 'm', 's', 'text/csv', 'o1', '00000000-0000-7000-8000-00000000b002', 'Sunrise', '2026-01-05');
INSERT INTO app (kid, account_kid, package, name, developer, intro, state, is_system_signed, created_by_kid, created_by, created_at, updated_at) VALUES
  ('00000000-0000-7000-8000-00000000d101', '00000000-0000-7000-8000-00000000a002', 'com.example.till', 'Till', '', '', 'listed', false, '00000000-0000-7000-8000-00000000b002', 'Sunrise', '2026-01-05', '2026-01-05');
INSERT INTO app_version (kid, app_kid, account_kid, version_name, version_code, kind, file_name, size, md5, sha256, object, signers, signature_scheme, abis, permissions, notes, is_typed, created_by_kid, created_by, created_at) VALUES
  ('00000000-0000-7000-8000-00000000d102', '00000000-0000-7000-8000-00000000d101', '00000000-0000-7000-8000-00000000a002', '1.10', 110, 'apk', 'till.apk', 9, 'm', 's', 'o2', '{x}', 'v2', '{}', '{}', '', false, '00000000-0000-7000-8000-00000000b002', 'Sunrise', '2026-01-05');
UPDATE app SET offered_version_kid = '00000000-0000-7000-8000-00000000d102';

-- Push
INSERT INTO push_task (kid, account_kid, type, payload, description, summary, created_by_kid, created_by, created_at, total, wait_receipt, target_count, phase_at, told_phase_at, from_versions, changed_at, version) VALUES
  ('00000000-0000-7000-8000-00000000e001', '00000000-0000-7000-8000-00000000a002', 'message', '{"text": "Hello"}', '', 'Hello', '00000000-0000-7000-8000-00000000b002', 'Sunrise', '2026-01-05', 1, 1, 1, '2026-01-05', '2026-01-05', '["5.2.1"]', '2026-01-05', 2);
INSERT INTO push_task_terminal (push_task_kid, terminal_kid, account_kid, sn, type, state_at, send_at, created_at) VALUES
  ('00000000-0000-7000-8000-00000000e001', '00000000-0000-7000-8000-00000000c101', '00000000-0000-7000-8000-00000000a002', 'CE0117', 'message', '2026-01-05', '2026-01-05', '2026-01-05');
CREATE TABLE push_task_activity_y2026m01 PARTITION OF push_task_activity FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
INSERT INTO push_task_activity (kid, account_kid, push_task_kid, terminal_kid, attempt, event, at) VALUES
  ('00000000-0000-7000-8000-00000000e002', '00000000-0000-7000-8000-00000000a002', '00000000-0000-7000-8000-00000000e001', '00000000-0000-7000-8000-00000000c101', 1, 'create', '2026-01-05');

-- Configuration
INSERT INTO terminal_config (kid, account_kid, section, ltscope, value, updated_by_kid, updated_by, updated_at) VALUES
  ('00000000-0000-7000-8000-00000000f001', '00000000-0000-7000-8000-00000000a002', 'collection', 20, '{"interval": 60}', '00000000-0000-7000-8000-00000000b002', 'Sunrise', '2026-01-05');
INSERT INTO configuration (kid, account_kid, type, ltscope, version, section_count, created_at, updated_at, updated_by_kid, updated_by) VALUES
  ('00000000-0000-7000-8000-00000000f002', '00000000-0000-7000-8000-00000000a002', 2, 20, 1, 1, '2026-01-05', '2026-01-05', '00000000-0000-7000-8000-00000000b002', 'Sunrise');
INSERT INTO config_profile (kid, account_kid, name, description, created_by_kid, created_by, created_at) VALUES
  ('00000000-0000-7000-8000-00000000f003', '00000000-0000-7000-8000-00000000a002', 'Kiosks', '', '00000000-0000-7000-8000-00000000b002', 'Sunrise', '2026-01-05');
INSERT INTO config_profile_use (kid, account_kid, profile_kid, position, terminal_kid, created_by_kid, created_by, created_at) VALUES
  ('00000000-0000-7000-8000-00000000f004', '00000000-0000-7000-8000-00000000a002', '00000000-0000-7000-8000-00000000f003', 1, '00000000-0000-7000-8000-00000000c101', '00000000-0000-7000-8000-00000000b002', 'Sunrise', '2026-01-05');
INSERT INTO config_profile_member (profile_use_kid, terminal_kid, account_kid) VALUES
  ('00000000-0000-7000-8000-00000000f004', '00000000-0000-7000-8000-00000000c101', '00000000-0000-7000-8000-00000000a002');
INSERT INTO terminal_config_delivery (terminal_kid, account_kid, version) VALUES
  ('00000000-0000-7000-8000-00000000c101', '00000000-0000-7000-8000-00000000a002', 1);

-- iStage
INSERT INTO istage_template (kid, account_kid, type, kind, version, name, content, created_by_kid, created_by, created_at, updated_at, imported_at) VALUES
  ('00000000-0000-7000-8000-00000000f101', '00000000-0000-7000-8000-00000000a001', 'network', 'standard', '3.0.3', 'Wi-Fi', '{"modules": []}', '00000000-0000-7000-8000-00000000b001', 'Operator', '2026-01-05', '2026-01-05', '2026-01-05');
INSERT INTO istage_config (kid, account_kid, name, description, type, version, template_kid, status, content, content_hash, created_by_kid, created_by, created_at, updated_at) VALUES
  ('00000000-0000-7000-8000-00000000f102', '00000000-0000-7000-8000-00000000a002', 'Depot', '', 'network', '3.0.3', '00000000-0000-7000-8000-00000000f101', 'completed', '{"wifi": [{"ssid": "depot"}]}', 'h', '00000000-0000-7000-8000-00000000b002', 'Sunrise', '2026-01-05', '2026-01-05');

-- Operating systems
INSERT INTO os_information (kid, list, code, name, created_at, updated_at) SELECT
  ('00000000-0000-7000-8000-0000000010' || lpad(n::text, 2, '0'))::uuid, list, 'A', 'A', '2026-01-05', '2026-01-05'
  FROM unnest('{solution,hardware,rom_memory,ram_memory,screen,extended,language,client_code}'::text[]) WITH ORDINALITY AS lists (list, n);
INSERT INTO os_uid (kid, code, display_name, type, solution_kid, hardware_kid, rom_memory_kid, ram_memory_kid, screen_kid, extended_kid, language_kid, client_code_kid, reserve_code, created_at, updated_at) VALUES
  ('00000000-0000-7000-8000-000000001101', 'AAAAAAAA', 'M1', 'standard', '00000000-0000-7000-8000-000000001001', '00000000-0000-7000-8000-000000001002', '00000000-0000-7000-8000-000000001003', '00000000-0000-7000-8000-000000001004', '00000000-0000-7000-8000-000000001005', '00000000-0000-7000-8000-000000001006', '00000000-0000-7000-8000-000000001007', '00000000-0000-7000-8000-000000001008', '', '2026-01-05', '2026-01-05');
INSERT INTO os_version (kid, uid_kid, os_version, version_code, ver, description, remaining_problems, state, created_by_kid, created_by, created_at, updated_at) VALUES
  ('00000000-0000-7000-8000-000000001201', '00000000-0000-7000-8000-000000001101', '1.0.0', 1, 1, '', '', 'draft', '00000000-0000-7000-8000-00000000b001', 'Operator', '2026-01-05', '2026-01-05');

-- Fences and alerts
INSERT INTO electronic_fence (kid, account_kid, name, is_on, longitude, latitude, radius, duration, accuracy, is_locking, created_at, updated_by_kid, updated_by, updated_at) VALUES
  ('00000000-0000-7000-8000-000000002001', '00000000-0000-7000-8000-00000000a002', 'Depot', true, 105.8, 21, 500, 60, 'common', false, '2026-01-05', '00000000-0000-7000-8000-00000000b002', 'Sunrise', '2026-01-05');
INSERT INTO alert_rule (kid, account_kid, name, kind, params, severity, is_on, for_seconds, calm_seconds, emails, language, is_noncompliant, created_by_kid, created_by, created_at, updated_at) VALUES
  ('00000000-0000-7000-8000-000000002101', '00000000-0000-7000-8000-00000000a002', 'Offline', 'offline', '{"minutes": 30}', 'warning', true, 0, 60, '{it@sunrise.example}', 'en', true, '00000000-0000-7000-8000-00000000b002', 'Sunrise', '2026-01-05', '2026-01-05');
INSERT INTO alert_terminal (rule_kid, terminal_kid, account_kid, since) VALUES
  ('00000000-0000-7000-8000-000000002101', '00000000-0000-7000-8000-00000000c101', '00000000-0000-7000-8000-00000000a002', '2026-01-05');

INSERT INTO alert (kid, account_kid, rule_kid, name, kind, severity, created_by_kid, opened_at, note, assignee_kid, tellings) VALUES
  ('00000000-0000-7000-8000-000000002102', '00000000-0000-7000-8000-00000000a002', '00000000-0000-7000-8000-000000002101', 'Offline', 'offline', 'warning', '00000000-0000-7000-8000-00000000b002', '2026-01-05', 'At the depot', '00000000-0000-7000-8000-00000000b002', '[{"at": "2026-01-05T00:00:00.000Z", "of": "opened", "emails": ["it@sunrise.example"], "webhooks": 1}]');

-- The system
CREATE TABLE operation_log_y2026m01 PARTITION OF operation_log FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
INSERT INTO operation_log (kid, account_kid, operator_name, operator_username, module_code, action_code, ip, result, message, duration_ms, created_at, client, request, response) VALUES
  ('00000000-0000-7000-8000-000000003001', '00000000-0000-7000-8000-00000000a002', 'Sunrise', 'sunrise', 'push_task', 'insert', '127.0.0.1', 1, '', 3, '2026-01-05', '{}', '{}', '{}');
INSERT INTO maintenance_window (kid, account_kid, name, days, "from", "to", created_by_kid, created_by, created_at) VALUES
  ('00000000-0000-7000-8000-000000003099', '00000000-0000-7000-8000-00000000a002', 'Weekend', '{6,7}', '08:00', '18:00', '00000000-0000-7000-8000-00000000b002', 'Sunrise', '2026-01-05');
INSERT INTO webhook (kid, account_kid, name, url, events, secret, created_at, updated_at) VALUES
  ('00000000-0000-7000-8000-000000003101', '00000000-0000-7000-8000-00000000a002', 'ERP', 'https://erp.example', '{push_task}', 'sealed', '2026-01-05', '2026-01-05');
INSERT INTO webhook_silence (webhook_kid, terminal_kid, account_kid, silent_since) VALUES
  ('00000000-0000-7000-8000-000000003101', '00000000-0000-7000-8000-00000000c101', '00000000-0000-7000-8000-00000000a002', '2026-01-05');
INSERT INTO terminal_news (account_kid, terminal_kid, event, device) VALUES
  ('00000000-0000-7000-8000-00000000a002', '00000000-0000-7000-8000-00000000c101', 'device.registered', '{"sn": "CE0117"}');
INSERT INTO webhook_delivery (kid, account_kid, webhook_kid, event, payload, state, next_at, created_at) VALUES
  ('00000000-0000-7000-8000-000000003201', '00000000-0000-7000-8000-00000000a002', '00000000-0000-7000-8000-000000003101', 'push_task', '{}', 'queued', '2026-01-05', '2026-01-05');
INSERT INTO mail (kid, kind, account_kid, address, subject, body, state, sent_at, created_at) VALUES
  ('00000000-0000-7000-8000-000000003202', 'alert', '00000000-0000-7000-8000-00000000a002', 'it@sunrise.example', 'Offline', '', 'sent', '2026-01-05', '2026-01-05');
INSERT INTO list_report (kid, account_kid, user_kid, name, request, language, every, hour, weekday, day, zone_id, next_at, created_at) VALUES
  ('00000000-0000-7000-8000-000000003203', '00000000-0000-7000-8000-00000000a002', '00000000-0000-7000-8000-00000000b002', 'Offline', '{"path": "terminal/paging"}', 'en', 'day', 7, 1, 1, 'UTC', '2026-01-06', '2026-01-05');
INSERT INTO setting VALUES ('file_key', '{"sealed": "v1.x"}');
INSERT INTO staging_key (kid, account_kid, private_key_sealed, secret_sealed, created_at) VALUES
  ('00000000-0000-7000-8000-000000003301', '00000000-0000-7000-8000-00000000a002', 'v1.x', 'v1.y', '2026-01-05');
INSERT INTO job (name, run_at) VALUES ('partitions', '2026-01-05');

-- Private deployments
INSERT INTO activation (kid, name, max_accounts, max_devices, macs, state, fault, code, earlier_codes, starts_at, ends_at, created_by, created_at) VALUES
  ('00000000-0000-7000-8000-00000000f901', 'Sunrise on site', 2, 999999999999, '{00:1A:2B:3C:4D:5E}', 'error', 'foreign_machine', 'MDM1.e30.x', '{MDM1.e30.w}', '2026-01-05', '2027-01-05', 'Operator', '2026-01-05');
INSERT INTO activation_here (code, entered_at, latest_at, file_sha256, ended_kids, is_renewed) VALUES
  ('MDM1.e30.x', '2026-01-05', '2026-01-06', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', '{00000000-0000-7000-8000-00000000f902}', true);

-- Calls of apps
INSERT INTO api_authorisation (kid, package, cert_sha1, methods, remark, created_by, created_at, updated_by, updated_at) VALUES
  ('00000000-0000-7000-8000-00000000fa01', 'com.example.till', '0123456789abcdef0123456789abcdef01234567', '{com.example.Printer.print}', '', 'Operator', '2026-01-05', 'Operator', '2026-01-05');
INSERT INTO api_authorisation_uid VALUES ('00000000-0000-7000-8000-00000000fa01', '00000000-0000-7000-8000-000000001101');

-- Remote hands
INSERT INTO remote_settings VALUES ('00000000-0000-7000-8000-00000000a002', 'ask', true, false, true, 30, 1000000);
INSERT INTO remote_session (kid, account_kid, terminal_kid, sn, kind, consent, created_by, created_by_kid, created_at, ends_at, ended_at, end_reason, renewals) VALUES
  ('00000000-0000-7000-8000-00000000fb01', '00000000-0000-7000-8000-00000000a002', '00000000-0000-7000-8000-00000000c101', 'SUN-1', 'desktop', 'ask', 'Sunrise', '00000000-0000-7000-8000-00000000b002', '2026-01-05', '2026-01-05 04:00', '2026-01-05 01:00', 'ended', 1);
INSERT INTO remote_viewer (kid, account_kid, session_kid, terminal_kid, user_kid, username, login_kid, has_control, created_at, joined_at, left_at, ticket_ends_at) VALUES
  ('00000000-0000-7000-8000-00000000fb11', '00000000-0000-7000-8000-00000000a002', '00000000-0000-7000-8000-00000000fb01', '00000000-0000-7000-8000-00000000c101', '00000000-0000-7000-8000-00000000b002', 'Sunrise', '00000000-0000-7000-8000-00000000fb99', true, '2026-01-05', '2026-01-05', '2026-01-05 01:00', '2026-01-05');
INSERT INTO remote_recording VALUES
  ('00000000-0000-7000-8000-00000000fb21', '00000000-0000-7000-8000-00000000a002', '00000000-0000-7000-8000-00000000fb01', '00000000-0000-7000-8000-00000000fb11', 'fbs', 1000, 3600, '2026-01-05');
INSERT INTO remote_session (kid, account_kid, terminal_kid, sn, kind, consent, created_by, created_by_kid, created_at, ends_at) VALUES
  ('00000000-0000-7000-8000-00000000fb02', '00000000-0000-7000-8000-00000000a002', '00000000-0000-7000-8000-00000000c101', 'SUN-1', 'files', 'notify', 'Sunrise', '00000000-0000-7000-8000-00000000b002', '2026-01-05', '2026-01-05 02:00');
INSERT INTO remote_refusal VALUES
  ('00000000-0000-7000-8000-00000000c101', '00000000-0000-7000-8000-00000000a002', 2, '2026-01-05');

-- Uploads of many nodes, and limits that they share
INSERT INTO upload (kid, account_kid, user_kid, name, size, received, multipart, etags, writer, created_at) VALUES
  ('00000000-0000-7000-8000-00000000fc01', '00000000-0000-7000-8000-00000000a002', '00000000-0000-7000-8000-00000000b002', 'map.bin', 6000000, 5242883, 'id-of-the-bucket', '{5d41402abc4b2a76b9719d911017c592}', '00000000-0000-7000-8000-00000000fc02', '2026-01-05');
INSERT INTO upload_piece VALUES ('00000000-0000-7000-8000-00000000a002', '00000000-0000-7000-8000-00000000fc01', 5242880, '\x616263');
INSERT INTO rate VALUES ('login', '10.0.0.0/24', '2026-01-05');
INSERT INTO node (kid, started_at, seen_at, files, clock_apart_ms, version) VALUES
  ('00000000-0000-7000-8000-00000000fc11', '2026-01-05', '2026-01-05', 'bucket https://s3.example.com/mdm', -12, '0.1.0');
