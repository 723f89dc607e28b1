import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig, settings } from './config.ts'
import type { SettingsError } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'mdm-config-'))
const none = { env_file: join(folder, 'none') }
const problemsOf = (env: Record<string, string>): string[] => {
  try {
    readConfig(env, none)
    return []
  } catch (error) {
    return (error as SettingsError).problems
  }
}

test('without settings the documented defaults hold', () => {
  expect(readConfig({}, none)).toMatchObject({
    http: { port: 8081 },
    mqtt: { port: 1883, url: undefined },
    log_level: 'info',
    is_demo: false,
  })
})

test('the environment wins over the .env file, and an empty value is none', () => {
  const env_file = join(folder, '.env')
  writeFileSync(env_file, 'MDM_HTTP_PORT=9001\nMDM_MQTT_PORT=9002\nMDM_PUBLIC_URL=https://mdm.example.com/\n')
  const config = readConfig({ MDM_HTTP_PORT: '9003', MDM_LOG_LEVEL: '' }, { env_file })
  expect(config).toMatchObject({ http: { port: 9003 }, mqtt: { port: 9002 }, public_url: 'https://mdm.example.com' })
})

test('every problem is named at once', () => {
  const problems = problemsOf({ MDM_HTTP_PRT: '1', MDM_MQTT_PORT: 'many', MDM_LOG_LEVEL: 'loud' })
  expect(problems.join('\n')).toMatch(/MDM_HTTP_PRT is not a setting. Did you mean MDM_HTTP_PORT\?/)
  expect(problems.join('\n')).toMatch(/MDM_MQTT_PORT/)
  expect(problems.join('\n')).toMatch(/MDM_LOG_LEVEL/)
})

test('contradictions are refused', () => {
  expect(problemsOf({ MDM_HTTP_PORT: '9000', MDM_MQTT_PORT: '9000' })).toHaveLength(1)
  expect(problemsOf({ MQTT_URL: 'mqtt://broker:1883', MDM_MQTT_PORT: '1884' })).toHaveLength(1)
  expect(problemsOf({ MQTT_URL: 'mqtt://broker:1883' })).toEqual([])
})

test('a server at a customer has five ports of its own and needs the key of its provider', () => {
  const private_server = { MDM_ENVIRONMENT: 'privatization', MDM_ACTIVATION_KEY: 'A'.repeat(43) }
  const tls = { MDM_TLS_CERT: '/cert.pem', MDM_TLS_KEY: '/key.pem' }
  const portsOf = (env: Record<string, string>) => {
    const { http, mqtt, https_port, metrics_port } = readConfig({ ...private_server, ...env }, none)
    return [http.port, https_port, mqtt.port, mqtt.tls_port, metrics_port]
  }
  expect(portsOf(tls)).toEqual([10101, 10102, 10103, 10104, 10105])
  // Without a certificate nothing listens over TLS.
  expect(portsOf({})).toEqual([10101, undefined, 10103, undefined, 10105])
  expect(portsOf({ ...tls, MDM_HTTP_PORT: '80', MDM_HTTPS_PORT: '443' })).toEqual([80, 443, 10103, 10104, 10105])
  expect(readConfig({ ...private_server }, none).activation.is_needed).toBe(true)
  expect(readConfig({}, none).activation.is_needed).toBe(false)
  expect(problemsOf({ MDM_ENVIRONMENT: 'privatization' })[0]).toContain('MDM_ACTIVATION_KEY')
})

test('ports over TLS need a certificate, and no two ports are the same', () => {
  const tls = { MDM_TLS_CERT: '/cert.pem', MDM_TLS_KEY: '/key.pem' }
  expect(problemsOf({ MDM_HTTPS_PORT: '443' })).toEqual([
    'MDM_HTTPS_PORT is set, but neither MDM_TLS_CERT nor MDM_ACME_DIRECTORY is.',
  ])
  expect(problemsOf({ ...tls })).toEqual([expect.stringContaining('no effect')])
  expect(problemsOf({ MDM_TLS_CERT: '/cert.pem', MDM_HTTPS_PORT: '443' })).toHaveLength(1)
  expect(problemsOf({ ...tls, MDM_HTTPS_PORT: '443', MDM_METRICS_PORT: '443' })).toEqual([
    'MDM_HTTPS_PORT and MDM_METRICS_PORT are both 443.',
  ])
  expect(problemsOf({ ...tls, MDM_MQTTS_PORT: '8883', MQTT_URL: 'mqtt://broker:1883' })).toHaveLength(1)
  expect(problemsOf({ ...tls, MDM_MQTTS_PORT: '8883' })).toEqual([])
})

test('a certificate that an authority issues needs a name, a port that the authority asks, and no other certificate', () => {
  const directory = { MDM_ACME_DIRECTORY: 'https://acme.example.com/directory' }
  const whole = {
    ...directory,
    MDM_PUBLIC_URL: 'https://mdm.example.com',
    MDM_HTTPS_PORT: '443',
    MDM_REDIRECT_PORT: '80',
  }
  expect(problemsOf(whole)).toEqual([])
  expect(readConfig({ ...whole, MDM_PUBLIC_MQTT_URL: 'mqtts://mqtt.example.com:8883' }, none).acme?.names).toEqual([
    'mdm.example.com',
    'mqtt.example.com',
  ])
  expect(problemsOf({ ...directory, MDM_HTTPS_PORT: '443' })).toHaveLength(2)
  expect(problemsOf({ ...whole, MDM_PUBLIC_URL: 'https://[2001:db8::1]:8443' })).toEqual([
    expect.stringContaining('addresses by name'),
  ])
  expect(problemsOf({ ...whole, MDM_TLS_CERT: '/cert.pem', MDM_TLS_KEY: '/key.pem' })).toEqual([
    expect.stringContaining('Keep one of them'),
  ])
  expect(problemsOf({ ...whole, MDM_REDIRECT_PORT: '443' })).toEqual([expect.stringContaining('both 443')])
  expect(problemsOf({ MDM_ACME_EMAIL: 'it@example.com' })).toEqual([expect.stringContaining('no effect')])
  expect(problemsOf({ MDM_REDIRECT_PORT: '80' })).toEqual([expect.stringContaining('nothing to lead to')])
})

test('a database on another host without TLS is refused until somebody says that it is meant', () => {
  const DATABASE_URL = 'postgres://mdm:secret@db.example.com/mdm'
  expect(problemsOf({ DATABASE_URL })[0]).toMatch(/unprotected/)
  expect(problemsOf({ DATABASE_URL })[0]).not.toContain('secret')
  expect(problemsOf({ DATABASE_URL, MDM_ALLOW_PLAIN_DATABASE: 'true' })).toEqual([])
  expect(problemsOf({ DATABASE_URL: `${DATABASE_URL}?sslmode=verify-full` })).toEqual([])
  expect(problemsOf({ DATABASE_URL: 'postgres://mdm@localhost/mdm' })).toEqual([])
  const DATABASE_REPLICA_URL = DATABASE_URL
  expect(problemsOf({ DATABASE_URL: 'postgres://mdm@localhost/mdm', DATABASE_REPLICA_URL })).toEqual([
    expect.stringMatching(/^DATABASE_REPLICA_URL sends/),
  ])
  expect(problemsOf({ DATABASE_REPLICA_URL: 'postgres://mdm@localhost/mdm' })).toEqual([
    expect.stringContaining('nothing that it could be a copy of'),
  ])
})

test('OpenID Connect is set up as a whole or not at all, and over TLS', () => {
  const whole = { MDM_OIDC_ISSUER: 'https://id.example.com/realm', MDM_OIDC_CLIENT_ID: 'mdm' }
  expect(readConfig({}, none).oidc).toBeUndefined()
  expect(readConfig({ ...whole, MDM_OIDC_CLIENT_SECRET: 's' }, none).oidc).toEqual({
    issuer: 'https://id.example.com/realm',
    client_id: 'mdm',
    client_secret: 's',
    name: 'Single sign-on',
  })
  expect(problemsOf({ MDM_OIDC_ISSUER: whole.MDM_OIDC_ISSUER })[0]).toContain('MDM_OIDC_CLIENT_ID is not')
  for (const name of ['MDM_OIDC_CLIENT_ID', 'MDM_OIDC_CLIENT_SECRET', 'MDM_OIDC_NAME'])
    expect(problemsOf({ [name]: 'hidden' })).toEqual([expect.stringContaining(`${name} is set, but MDM_OIDC_ISSUER`)])
  expect(problemsOf({ ...whole, MDM_OIDC_ISSUER: 'http://id.example.com' })[0]).toContain('must be https')
  for (const host of ['localhost', '127.0.0.1:9000', '[::1]:9000'])
    expect(problemsOf({ ...whole, MDM_OIDC_ISSUER: `http://${host}` })).toEqual([])
})

test('a secret key that is none is refused without being repeated', () => {
  expect(problemsOf({ MDM_SECRET_KEY: 'a1'.repeat(32) })).toEqual([])
  const problems = problemsOf({ MDM_SECRET_KEY: 'too-short-a-key' })
  expect(problems).toEqual(['MDM_SECRET_KEY: 64 hexadecimal characters are needed'])
})

test('settings of the agent and of tests are somebody else’s', () => {
  expect(problemsOf({ MDM_AGENT_LOCK_COMMAND: 'x', MDM_TEST_CHROMIUM: 'x' })).toEqual([])
})

test('map pictures come from an address with all three places, from a path of this server, or not at all', () => {
  const own = '/tiles/{z}/{x}/{y}.png'
  expect(readConfig({ MDM_OSM_TILES: own, MDM_BAIDU_TILES: 'none' }, none).tiles).toEqual({ osm: own, baidu: null })
  for (const wrong of [
    'https://maps.example.com/{z}/{x}.png',
    'maps/{z}/{x}/{y}',
    "https://a;script-src 'self'/{z}/{x}/{y}",
  ])
    expect(problemsOf({ MDM_OSM_TILES: wrong })).toHaveLength(1)
})

test('docs/settings.md lists every setting with its purpose', () => {
  const page = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8').replace(/ +/g, ' ')
  for (const [name, schema] of Object.entries(settings.shape))
    expect(page).toContain(`| \`${name}\` | ${schema.description} |`)
})
