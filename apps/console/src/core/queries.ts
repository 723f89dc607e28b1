import { QueryClient } from '@tanstack/react-query'
import { errors } from '@mdm/contract'
import { CallFailed } from './call-failed.ts'

/** Only failures that may pass by themselves are tried again; a refusal stays a refusal. */
const mayPass = (error: Error) =>
  error instanceof CallFailed && (error.is_offline || error.result === errors.unavailable.result)

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < 2 && mayPass(error),
      refetchOnWindowFocus: true,
      // A lost network must end as an error that can be read, not as an endless pause.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})
