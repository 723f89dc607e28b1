import type { texts as english } from '../en/external-user.ts'
import type { Translated } from '../resources.ts'

export const texts: Translated<typeof english> = {
  title: 'Người dùng ngoài',
}
