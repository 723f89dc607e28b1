declare module 's3rver' {
  import type { AddressInfo } from 'node:net'

  /** A server that speaks S3, for tests. Its access key is S3RVER, and so is the secret. */
  export default class S3rver {
    constructor(options: {
      address?: string
      port?: number
      silent?: boolean
      directory?: string
      resetOnClose?: boolean
      configureBuckets?: { name: string }[]
    })
    run(): Promise<AddressInfo>
    close(): Promise<void>
  }
}
