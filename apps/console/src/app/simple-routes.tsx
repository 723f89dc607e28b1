import type { Route } from './routes.ts'
import type { SimpleNamespace, SimpleResource } from '../ui/simple-resource/simple-resource.tsx'

/** The three pages of a simple resource, whose file is loaded with the first of them. */
export function simpleRoutes<R extends { kid: string }>(
  namespace: SimpleNamespace,
  load: () => Promise<{ resource: SimpleResource<R> }>,
): { list: Route; add: Route; edit: Route } {
  const texts = [namespace]
  return {
    list: {
      texts,
      page: async () => {
        const [{ resource }, { SimpleList }] = await Promise.all([
          load(),
          import('../ui/simple-resource/SimpleList.tsx'),
        ])
        return { default: () => <SimpleList of={resource} /> }
      },
    },
    add: {
      texts,
      page: async () => {
        const [{ resource }, { SimpleAdd }] = await Promise.all([
          load(),
          import('../ui/simple-resource/SimpleForm.tsx'),
        ])
        return { default: () => <SimpleAdd of={resource} /> }
      },
    },
    edit: {
      texts,
      page: async () => {
        const [{ resource }, { SimpleEdit }] = await Promise.all([
          load(),
          import('../ui/simple-resource/SimpleForm.tsx'),
        ])
        return { default: () => <SimpleEdit of={resource} /> }
      },
    },
  }
}
