import { setImmediate } from 'node:timers/promises'
import type { Contract, In, IstageContent } from '@mdm/contract'
import { checkContent } from '@mdm/contract/istage/index.ts'
import type { TemplateJson } from '@mdm/contract/istage/index.ts'
import { codesOf, packFile, stagingLimits } from '@mdm/device-link'
import type { Staging } from '@mdm/device-link'
import { errorMessage, fieldMessage, stagingCodeLimits } from '@mdm/contract'
import type { Actor } from '../../../actor.ts'
import { objectSource } from '../../../files/object-store.ts'
import { wholeUpload } from '../../../files/own-upload.ts'
import { bytesText } from '../../../lib/bytes.ts'
import { takeSharedTry } from '../../../lib/rate-limit.ts'
import { refuse } from '../../../refusal.ts'
import { inWorker, requesterOf } from '../../../workers/service.ts'
import type { Ctx } from '../../../http/context.ts'
import { createQrcode, openPermanent } from '../../fleet/enrolment/index.ts'
import { fileNameOf, matcher, readConfig } from '../istage/index.ts'
import { envelopeOf } from './envelope.ts'
import { stagingKey } from './keys.ts'
import type { StagingKey } from './keys.ts'
import { variablesIn, withValues } from './variables.ts'

type Calls = Contract['istageCode']['calls']
type Making = In<Calls['make']>
type Config = Awaited<ReturnType<typeof completed>>

const hour_ms = 3_600_000
/** Of one account. */
const rate = { limit: 120, per_ms: hour_ms }

async function whole(actor: Actor, kid: string) {
  const { template, ...config } = await readConfig(actor, kid)
  return { ...config, template: template as unknown as TemplateJson, variables: variablesIn(config.content) }
}

/** What codes can be made of. */
export async function get(actor: Actor, kid: string) {
  const { content: _, template: __, ...config } = await whole(actor, kid)
  return config
}

async function completed(actor: Actor, kid: string) {
  const config = await whole(actor, kid)
  if (config.status !== 'completed') return refuse('istage_incomplete')
  return config
}

/** Modules by which a device reaches its server; those of a link are read before it knows anybody. */
const first_modules = ['wifi']

/** Server and token of a staging link, and when the token ends. */
async function enrolOf(actor: Actor, enrol: Making['enrol'], content: IstageContent) {
  if (!enrol) return undefined
  const first = first_modules.filter((module) => content[module])
  if (enrol.qrcode_kid !== undefined) {
    const { base, token } = await openPermanent(actor, enrol.qrcode_kid)
    return { enrol: { server: base, token, first }, ends_at: undefined }
  }
  const { content: text, expires_at } = await createQrcode(actor, { terminal_group_kid: 'NO_GROUP' })
  const url = new URL(text)
  const token = url.searchParams.get('qr')!
  return { enrol: { server: text.slice(0, text.lastIndexOf('/enrol?')), token, first }, ends_at: expires_at }
}

type Maker = {
  key: StagingKey
  head: Omit<Staging, 'content' | 'sealed'>
  isSecret: (module: string, field: string) => boolean
}

/** All that the codes of one call have in common. */
async function makerOf(
  actor: Actor,
  config: Config,
  { hours, enrol }: Pick<Making, 'hours' | 'enrol'>,
): Promise<Maker> {
  const { deps, account_kid } = actor
  const now = deps.clock.now()
  const link = await enrolOf(actor, enrol, config.content)
  const asked = new Date(now.getTime() + hours * hour_ms)
  const expires_at = link?.ends_at && link.ends_at < asked ? link.ends_at : asked
  const secrets = new Set(
    config.template.modules.flatMap(({ key, fields }) =>
      fields.flatMap((field) => (field.kind === 'secret' ? [`${key} ${field.key}`] : [])),
    ),
  )
  return {
    key: await stagingKey(deps, account_kid),
    head: {
      v: 1,
      id: config.kid,
      account: account_kid,
      name: config.name,
      type: config.type,
      version: config.version,
      issued_at: now.toISOString(),
      expires_at: expires_at.toISOString(),
      ...(link && { enrol: link.enrol }),
    },
    // A device that is to join the network of a link holds no key yet.
    isSecret: (module, field) => !link?.enrol.first.includes(module) && secrets.has(`${module} ${field}`),
  }
}

const envelopeBy = ({ key, head, isSecret }: Maker, content: IstageContent): Promise<Uint8Array> =>
  envelopeOf({ ...head, content }, key, isSecret)

async function envelopeOfAll(actor: Actor, input: Making) {
  await takeSharedTry(actor.deps, 'istage_code', rate, actor.account_kid)
  const config = await completed(actor, input.kid)
  if (config.variables.length > 0) refuse('staging_variables', { columns: config.variables.join(', ') })
  const maker = await makerOf(actor, config, input)
  const envelope = await envelopeBy(maker, config.content)
  return { name: config.name, version: config.version, expires_at: maker.head.expires_at, envelope }
}

/** The texts of the QR codes of a configuration. */
export async function make(actor: Actor, input: Making) {
  const { name, expires_at, envelope } = await envelopeOfAll(actor, input)
  const codes = codesOf(envelope)
  if (!codes) return refuse('staging_too_large', { max: stagingLimits.codes })
  return { name, code: { expires_at, bytes: envelope.length, secret_codes: codes, count: codes.length } }
}

/** The same as a file, however large. */
export async function file(actor: Actor, input: Making) {
  const { name, version, expires_at, envelope } = await envelopeOfAll(actor, input)
  const bytes = packFile(envelope)
  const file_name = `${fileNameOf(name)}-${version}.mdmstage`
  const secret_file = Buffer.from(bytes).toString('base64')
  return { name, file: { expires_at, bytes: bytes.length, file_name, secret_file } }
}

/** Of the content of a row before it is packed: a label holds a thousand bytes of it packed. */
const row_content_bytes = 64 * 1024

/** A code for each row of a sheet, on which the variables are columns. All of them, or none where one is wrong. */
export async function rows(ctx: Ctx, { upload_kid, ...input }: In<Calls['rows']>) {
  // Before anything is waited for: they may leave at once.
  const by = requesterOf(ctx)
  const { deps, scope, user, request } = ctx
  await takeSharedTry(deps, 'istage_code', rate, ctx.account_kid)
  const { object, size } = await wholeUpload(deps, scope, user.kid, upload_kid)
  if (size > stagingCodeLimits.sheet_bytes) refuse('file_too_large', { max: bytesText(stagingCodeLimits.sheet_bytes) })
  const config = await completed(ctx, input.kid)
  const columns = config.variables
  if (columns.length === 0) return refuse('staging_no_variables')
  const read = await inWorker(deps, 'values', { columns }, objectSource(deps.objects, object, size), by)
  const { language } = request
  const matches = matcher()
  const maker = await makerOf(ctx, config, input)
  const max = stagingLimits.label_bytes
  const made = []
  for (const { row, label, values, fault } of read) {
    const wrong = (reason: string) => refuse('staging_row_wrong', { row, reason })
    if (fault) wrong(errorMessage(fault.name, language, { column: fault.column, value: '' }))
    const { content, bytes } = withValues(config.content, values, row_content_bytes)
    // What is so much larger than a label is neither checked nor packed.
    if (!content) return refuse('staging_row_too_large', { row, bytes, max })
    const [found] = Object.entries(checkContent(config.template, content, matches))
    if (found) wrong(`${found[0]}: ${fieldMessage(found[1], language)}`)
    const envelope = await envelopeBy(maker, content)
    if (envelope.length > max) refuse('staging_row_too_large', { row, bytes: envelope.length, max })
    made.push({ row, label, secret_code: codesOf(envelope, max)![0]! })
    // Rows are many, and others wait for this thread.
    await setImmediate()
  }
  return { name: config.name, sheet: { expires_at: maker.head.expires_at, columns, rows: made } }
}
