import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { v7 } from 'uuid'

/** A fresh kid: UUIDv7, so that ids made later sort later. */
export const newKid = (): string => v7()
/** 32 random bytes as 64 hex characters: session tokens, QR tokens, device secrets. */
export const newSecret = (): string => randomBytes(32).toString('hex')
/** How every secret is stored. One hash is enough for 256 random bits. */
export const digest = (secret: string | Uint8Array): Buffer => createHash('sha256').update(secret).digest()
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)
