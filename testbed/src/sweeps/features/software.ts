import type { Feature } from '../feature.ts'

/** What is installed over the fleet. */
export const software: Feature = {
  inputs: () => ({ 'software/paging': {} }),
}
