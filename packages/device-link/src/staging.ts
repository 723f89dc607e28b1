import * as z from 'zod'

/** Sizes of staging codes; a device refuses what is larger. */
export const stagingLimits = {
  /** Codes of one sequence. */
  codes: 24,
  /** Bytes of the envelope that one code of a sequence carries. */
  code_bytes: 400,
  /** The most that one may carry: a code that stands alone on a label. */
  label_bytes: 1_000,
  /** The body once it is inflated. */
  body_bytes: 3_145_728,
  rows: 200,
  /** Sequences that a device keeps unfinished; the one that was begun first gives way. */
  sequences: 8,
} as const

const Name = z.string().regex(/^[A-Za-z]\w{0,39}$/)
/** People name parameters of their own; none is called as something that JavaScript's objects have. */
const Parameter = z
  .string()
  .min(1)
  .max(64)
  .refine((name) => !['__proto__', 'constructor', 'prototype'].includes(name))
const Scalar = z.union([z.string().max(2_000_000), z.number(), z.boolean()])

/** Values of a configuration: module, entries of the module, fields of the entry. */
export const StagingContent = z.record(Name, z.array(z.record(Parameter, Scalar)).max(stagingLimits.rows))
export type StagingContent = z.infer<typeof StagingContent>

/** Fields that the template calls secret: module, index of the entry, field, value. */
export const StagingSecrets = z
  .array(z.tuple([Name, z.number().int().min(0).max(stagingLimits.rows), Parameter, Scalar]))
  .max(5_000)
export type StagingSecrets = z.infer<typeof StagingSecrets>

/** What the body of an envelope says, as JSON. */
export const Staging = z.object({
  v: z.literal(1),
  id: z.uuid().describe('the configuration'),
  account: z.uuid(),
  name: z.string().min(1).max(100),
  type: z.string().max(40).describe('of the template'),
  version: z.string().max(40),
  content: StagingContent,
  sealed: z
    .string()
    .max(stagingLimits.body_bytes)
    .optional()
    .describe('the secret fields: base64 of 12 bytes IV, 16 bytes tag and the ciphertext'),
  enrol: z
    .object({
      server: z.url({ protocol: /^https?$/ }).max(255),
      token: z.string().min(1).max(128).describe('goes into `qrcode` of enrol'),
      first: z.array(Name).max(20).describe('modules to apply before: without them the server is out of reach'),
    })
    .optional()
    .describe('a staging link: the device enrols by it when it is registered nowhere'),
  issued_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
})
export type Staging = z.infer<typeof Staging>

const base64Of = (bytes: number) =>
  z.base64().refine((text) => Math.floor((text.replace(/=+$/, '').length * 3) / 4) === bytes)

/** What a device is given to check and open the codes of its account. */
export const StagingKeys = z.object({
  account: z.uuid(),
  time: z.iso.datetime().describe('by the clock of the server'),
  keys: z
    .array(
      z.object({
        public_key: base64Of(32).describe('Ed25519, 32 bytes'),
        secret: base64Of(32).describe('AES-256-GCM key of secret fields'),
      }),
    )
    .max(20),
})
export type StagingKeys = z.infer<typeof StagingKeys>

export const stagingRefusals = ['expired', 'clock', 'unsigned', 'key_unknown', 'other_account'] as const
export type StagingRefusal = (typeof stagingRefusals)[number]

/** What became of one module. */
export const StagingItem = z.object({
  module: Name,
  outcome: z.enum(['applied', 'failed', 'not_supported']),
  reason: z.string().max(40).optional(),
  message: z.string().max(300).optional(),
})
export type StagingItem = z.infer<typeof StagingItem>

/** Detail of the event `staging`: what became of one module of a configuration that was scanned, or that none of it was obeyed. */
export const StagingScan = z.object({
  config: z.uuid().describe('the configuration'),
  name: z.string().max(100),
  version: z.string().max(40),
  by: z.enum(['code', 'file', 'link']),
  outcome: StagingItem.shape.outcome.or(z.literal('refused')),
  module: Name.optional().describe('absent where the code as a whole was refused'),
  reason: z
    .string()
    .max(40)
    .optional()
    .describe(`why not; of a refused code ${stagingRefusals.join(', ')}`),
  message: z.string().max(300).optional(),
})
export type StagingScan = z.infer<typeof StagingScan>

/** Why something scanned is no staging code, or not one for this device. */
export const stagingFaults = ['not_a_code', 'corrupt', 'mixed'] as const
export class StagingFault extends Error {
  constructor(
    readonly code: (typeof stagingFaults)[number],
    message: string,
  ) {
    super(message)
  }
}

/** What is signed and what carries it, as bytes. */
export type StagingEnvelope = {
  is_deflated: boolean
  /** The first 8 bytes of the SHA-256 of the public key. */
  key: Uint8Array
  signature: Uint8Array
  body: Uint8Array
}

const format = 1
const key_bytes = 8
const signature_bytes = 64
const head_bytes = 2 + key_bytes
const purpose = new TextEncoder().encode('mdm-staging-1\n')

const joined = (...pieces: Uint8Array[]): Uint8Array => {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
const headOf = ({ is_deflated, key }: Pick<StagingEnvelope, 'is_deflated' | 'key'>) =>
  joined(Uint8Array.of(format, is_deflated ? 1 : 0), key)

/** What the signature is made over: no key signs anything else by mistake, and no part of the head can be exchanged. */
export const signedBytes = (of: Omit<StagingEnvelope, 'signature'>): Uint8Array => joined(purpose, headOf(of), of.body)

export const packEnvelope = (envelope: StagingEnvelope): Uint8Array =>
  joined(headOf(envelope), envelope.signature, envelope.body)

/** @throws StagingFault */
export function unpackEnvelope(bytes: Uint8Array): StagingEnvelope {
  const body_at = head_bytes + signature_bytes
  if (bytes.length <= body_at || bytes[0] !== format || bytes[1]! > 1)
    throw new StagingFault('corrupt', 'This is no staging code of a known format')
  return {
    is_deflated: bytes[1] === 1,
    key: bytes.slice(2, head_bytes),
    signature: bytes.slice(head_bytes, body_at),
    body: bytes.slice(body_at),
  }
}

const file_head = new TextEncoder().encode('MDM1F\n')

/** The envelope as a file, for what is too large for codes. */
export const packFile = (envelope: Uint8Array): Uint8Array => joined(file_head, envelope)

/** The envelope in a file; undefined for other files. */
export const unpackFile = (bytes: Uint8Array): Uint8Array | undefined =>
  file_head.every((byte, at) => bytes[at] === byte) ? bytes.slice(file_head.length) : undefined

/** The body's content with its secret fields back in place. Fields of entries that are not there are ignored. */
export function withSecrets(content: StagingContent, secrets: StagingSecrets): StagingContent {
  const whole = structuredClone(content)
  for (const [module, at, field, value] of secrets) {
    const entry = whole[module]?.[at]
    if (entry) entry[field] = value
  }
  return whole
}

/** The content without the fields that are secret, and these. */
export function withoutSecrets(
  content: StagingContent,
  isSecret: (module: string, field: string) => boolean,
): { content: StagingContent; secrets: StagingSecrets } {
  const secrets: StagingSecrets = []
  const open = Object.fromEntries(
    Object.entries(content).map(([module, entries]) => [
      module,
      entries.map((entry, at) =>
        Object.fromEntries(
          Object.entries(entry).filter(([field, value]) => {
            if (!isSecret(module, field)) return true
            secrets.push([module, at, field, value])
            return false
          }),
        ),
      ),
    ]),
  )
  return { content: open, secrets }
}
