export type HttpRequest = {
  method?: 'GET' | 'POST' | 'PUT'
  headers?: Record<string, string>
  body?: string | AsyncIterable<Uint8Array>
  /** What a redirect is: followed by itself, a fault, or the answer. */
  redirect?: 'follow' | 'error' | 'manual'
  signal: AbortSignal
}
export type HttpAnswer = {
  status: number
  ok: boolean
  header(name: string): string | undefined
  body: AsyncIterable<Uint8Array>
  json(): Promise<unknown>
  /** Has no interest in the body. */
  cancel(): void
}
