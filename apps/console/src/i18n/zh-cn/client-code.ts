import type { texts as english } from '../en/client-code.ts'
import type { Translated } from '../resources.ts'

export const texts: Translated<typeof english> = {
  title: '客户代码',
}
