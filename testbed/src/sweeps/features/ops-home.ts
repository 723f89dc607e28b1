import type { Feature } from '../feature.ts'

/** The home of the provider. */
export const opsHome: Feature = {
  inputs: () => ({
    'ops/home/overview': {},
    'ops/home/status': {},
  }),
}
