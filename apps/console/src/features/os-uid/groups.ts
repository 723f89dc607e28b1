import { informationNames } from '@mdm/contract'

/** Wire groups of the lists: how many UIDs use a row changes with every UID. */
export const informationGroups = informationNames.map((name) => `ops/${name}`)
