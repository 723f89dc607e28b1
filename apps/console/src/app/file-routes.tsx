import type { ComponentType } from 'react'
import type { FileSide } from '../features/file-cloud/sides.ts'
import type { Route } from './routes.ts'

type SidePage = ComponentType<{ side: FileSide }>

/** The pages of a file cloud: an account's own, or the provider's. */
export function fileRoutes(side: FileSide) {
  const of = (load: () => Promise<SidePage>): Route => ({
    texts: ['file-cloud'],
    page: async () => {
      const Page = await load()
      return { default: () => <Page side={side} /> }
    },
  })
  return {
    list: of(async () => (await import('../features/file-cloud/Files.tsx')).Files),
    add: of(async () => (await import('../features/file-cloud/form/FileAdd.tsx')).FileAdd),
    edit: of(async () => (await import('../features/file-cloud/form/FileEdit.tsx')).FileEdit),
  }
}
