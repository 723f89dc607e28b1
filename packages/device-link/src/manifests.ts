import * as z from 'zod'

const bytes = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const Command = z.array(z.string()).min(1).max(50)

/** `mdm-app.json`, at the root of a zip that is an app. */
export const AppManifest = z.object({
  package: z.string().max(200),
  version: z.string().max(100),
  version_code: bytes.nullish().describe('read by the server when the package is uploaded'),
  title: z.string().max(100).nullish().describe('read by the server when the package is uploaded'),
  abis: z
    .array(z.enum(['arm64-v8a', 'armeabi-v7a', 'armeabi', 'x86_64', 'x86', 'riscv64']))
    .nullish()
    .describe('it runs on one of them; absent: on any'),
  start: Command.optional().describe('a program with its arguments, run in the folder of the app and never by a shell'),
  check: Command.optional().describe('run after an installation: another exit than 0 takes the version back'),
})

/** `custom/custom.json` in the system: what a customer put into an OS version. */
export const OsCustom = z.object({
  format: z.literal('mdm-custom-1'),
  name: z.string(),
  model_code: z.string(),
  base_os_version: z.string(),
  apps: z
    .array(
      z.object({
        file: z.string().describe('below the folder of custom.json'),
        package: z.string(),
        name: z.string(),
        version_name: z.string(),
        version_code: bytes,
        size: bytes,
        sha256: Sha256,
      }),
    )
    .describe('in the order in which they are installed'),
  files: z.array(
    z.object({
      file: z.string().describe('below the folder of custom.json'),
      target: z.string().describe('absolute on the device'),
      size: bytes,
      sha256: Sha256,
    }),
  ),
  picture: z
    .object({ file: z.literal('boot.png'), size: bytes, sha256: Sha256 })
    .nullish()
    .describe('shown while the device starts'),
  configuration: z
    .object({
      file: z.literal('config.json'),
      left_out: z.array(z.string()).describe('sections that hold secrets: they come from the server'),
    })
    .nullish(),
})
export type OsCustom = z.infer<typeof OsCustom>
