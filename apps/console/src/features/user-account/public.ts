export { PeoplePage } from './PeoplePage.tsx'
export { draftOf, PersonForm } from './PersonForm.tsx'
