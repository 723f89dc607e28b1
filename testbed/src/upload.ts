import type { Caller } from './caller.ts'

/** Uploads as a browser does, by the tus protocol in one piece; returns the upload's kid. */
export async function uploadFile(call: Caller, name: string, content: Buffer): Promise<string> {
  const headers = {
    'tus-resumable': '1.0.0',
    authorization: `Bearer ${call.identity.token}`,
    ...(call.identity.account_kid ? { 'x-account-kid': call.identity.account_kid } : {}),
  }
  const query = call.identity.account_kid ? `?account_kid=${call.identity.account_kid}` : ''
  const created = await fetch(`${call.url}/upload${query}`, {
    method: 'POST',
    headers: {
      ...headers,
      'upload-length': String(content.length),
      'upload-metadata': `filename ${Buffer.from(name).toString('base64')}`,
    },
  })
  const location = created.headers.get('location')
  if (created.status !== 201 || !location) throw new Error(`upload refused: ${created.status} ${await created.text()}`)
  const sent = await fetch(new URL(location, call.url), {
    method: 'PATCH',
    headers: { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: new Uint8Array(content),
  })
  if (sent.status !== 204) throw new Error(`upload broke off: ${sent.status} ${await sent.text()}`)
  return new URL(location, call.url).pathname.split('/').at(-1)!
}
