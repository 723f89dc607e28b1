export { completedConfig, fileNameOf, get as readConfig } from './configs.ts'
export { matcher } from './patterns.ts'
export { readTemplate } from './read-file.ts'
