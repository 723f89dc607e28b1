import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { collectCode, StagingKeys, unpackEnvelope } from '@mdm/device-link'
import { expect, test } from 'vitest'
import { openStaging, readStaging } from './open.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/device-link/working.md'), 'utf8')
const block = (name: string): string => {
  const [, text] = new RegExp(`^\`\`\`text ${name}\\n([\\s\\S]*?)\\n^\`\`\`$`, 'm').exec(page)!
  return text!
}

test('the example of the page: its code says what stands there, and opens with its keys', () => {
  const { envelope } = collectCode({}, block('staging/code'))
  const body: unknown = JSON.parse(block('staging/body'))
  expect(readStaging(unpackEnvelope(envelope!))).toEqual(body)
  const keys = StagingKeys.parse(JSON.parse(block('staging/keys')))
  expect(openStaging(envelope!, keys).content).toEqual({ wifi: [{ ssid: 'Depot', password: 'correct horse' }] })
})
