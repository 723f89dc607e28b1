import type { texts as english } from '../en/operation-log.ts'
import type { Translated } from '../resources.ts'

export const texts: Translated<typeof english> = {
  title: 'Nhật ký thao tác',
}
