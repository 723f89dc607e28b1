import type { Caller } from './caller.ts'

const tus = (call: Caller) => ({
  headers: { 'tus-resumable': '1.0.0', authorization: `Bearer ${call.identity.token}` },
  query: call.identity.account_kid ? `?account_kid=${call.identity.account_kid}` : '',
})

/** Begins an upload by the tus protocol and sends nothing yet; returns the upload's kid. */
export async function createUpload(call: Caller, name: string, size: number): Promise<string> {
  const { headers, query } = tus(call)
  const created = await fetch(`${call.url}/upload${query}`, {
    method: 'POST',
    headers: {
      ...headers,
      'upload-length': String(size),
      'upload-metadata': `filename ${Buffer.from(name).toString('base64')}`,
    },
  })
  const location = created.headers.get('location')
  if (created.status !== 201 || !location) throw new Error(`upload refused: ${created.status} ${await created.text()}`)
  return new URL(location, call.url).pathname.split('/').at(-1)!
}

/** Uploads as a browser does, in one piece; returns the upload's kid. */
export async function uploadFile(call: Caller, name: string, content: Buffer): Promise<string> {
  const kid = await createUpload(call, name, content.length)
  const { headers, query } = tus(call)
  const sent = await fetch(`${call.url}/upload/${kid}${query}`, {
    method: 'PATCH',
    headers: { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: new Uint8Array(content),
  })
  if (sent.status !== 204) throw new Error(`upload broke off: ${sent.status} ${await sent.text()}`)
  return kid
}
