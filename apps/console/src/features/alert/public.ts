export { severityTones } from './tones.ts'
