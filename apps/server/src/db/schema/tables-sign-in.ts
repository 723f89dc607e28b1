import type { Language } from '@mdm/contract'
import type { Generated } from 'kysely'

/** Ways in beside a password that somebody knows. */
export type SignInTables = {
  passkey: {
    kid: string
    user_kid: string
    name: string
    credential_id: string
    public_key: Buffer
    counter: number
    transports: Generated<string[]>
    is_synced: boolean
    created_at: Date
    last_use_at: Date | null
  }
  password_link: {
    user_kid: string
    kind: 'invitation' | 'password_reset'
    token_hash: Buffer
    email: string | null
    mail_kid: string | null
    created_at: Date
    expires_at: Date
  }
  forgotten_password: { kid: string; username: string; language: Language; created_at: Date }
}
