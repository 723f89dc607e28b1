/** How a receiver finds out that a message is ours: Standard Webhooks, in Node.js without a library. */
export const sample = `import { createHmac, timingSafeEqual } from 'node:crypto'

// body: the request as it came, before anything has parsed it
export function isGenuine(secret, headers, body) {
  const id = headers['webhook-id']
  const time = headers['webhook-timestamp']
  if (!(Math.abs(Date.now() / 1000 - time) < 300)) return false
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const expected = createHmac('sha256', key).update(\`\${id}.\${time}.\${body}\`).digest()
  return String(headers['webhook-signature']).split(' ').some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
`
