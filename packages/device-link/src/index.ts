export * from './enrolment.ts'
export * from './limits.ts'
export * from './payloads.ts'
export * from './topics.ts'
