import type { texts as english } from '../en/file-cloud.ts'
import type { Translated } from '../resources.ts'

export const texts: Translated<typeof english> = {
  title: '文件云',
}
