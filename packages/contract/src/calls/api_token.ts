import * as z from 'zod'
import { group, read, write } from '../kit.ts'
import { ByKid, Done, Instant, Kid, Line, Nothing, text } from '../wire.ts'
import { Permissions } from './people.ts'

export const ApiToken = z.object({
  kid: Kid,
  name: z.string(),
  prefix: z.string().describe('its first characters, to tell it from others'),
  permissions: z.array(z.string()).describe('names and patterns; it never may more than its owner may now'),
  may_destroy: z.boolean().describe('whether it passes where a person is asked for the password again'),
  created_at: Instant,
  expires_at: Instant,
  last_use_at: Instant.nullable(),
  last_address: z.string().nullable(),
})
export type ApiToken = z.output<typeof ApiToken>

const tokenUse = [
  'shown this once; sent as Authorization: Bearer, never in an address.',
  'It acts for the accounts its owner may act for; the token of an operator who holds externalUserManageList:enter',
  'names any customer in account_kid of a request without entering first',
].join(' ')

/**
 * Tokens for scripts, sent as `Authorization: Bearer`: they act for the person who made them, with some of that person's
 * permissions, and for the accounts that person may act for. An operator's token that holds externalUserManageList:enter
 * names the customer in `account_kid` of each request and need not enter first.
 */
export const apiToken = group('api_token', text('API tokens', 'Mã truy cập API', 'API 令牌'), {
  list: read('GET', {
    needs: 'signed_in',
    title: text('List own API tokens', 'Danh sách mã API', 'API 令牌列表'),
    input: Nothing,
    output: z.array(ApiToken),
    is_personal: true,
  }),
  insert: write('POST', {
    needs: 'signed_in',
    title: text('Create an API token', 'Tạo mã API', '新建 API 令牌'),
    input: z.object({
      name: Line(64, 1),
      permissions: Permissions.min(1),
      expires_in_days: z.number().int().min(1).max(365),
      may_destroy: z.boolean().default(false),
    }),
    output: z.object({ kid: Kid, token: z.string().describe(tokenUse) }),
    errors: ['role_beyond_own', 'duplicate_name', 'api_token_limit'],
    is_personal: true,
    asks_password: () => true,
  }),
  delete: write('POST', {
    needs: 'signed_in',
    title: text('Revoke an API token', 'Thu hồi mã API', '吊销 API 令牌'),
    input: ByKid,
    output: Done,
    is_personal: true,
    works_on_full_disk: true,
  }),
})
