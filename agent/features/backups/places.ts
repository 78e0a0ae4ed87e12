import { restoresOf as folderOf, RESTORES } from '#agent/kernel/site/paths.ts'

/** The parts that a restore takes from a backup, before it changes the site. */
export const fetchedOf = (user: string) => `${folderOf(user)}/fetched`
/** The previous state of the site, while it is being replaced. */
export const replacedOf = (user: string) => `${folderOf(user)}/replaced`
/** The whole site, while some of its files are exchanged. */
export const apartOf = (user: string) => `${folderOf(user)}/apart`
/** The state before the last restore that succeeded. */
export const previousOf = (user: string) => `${folderOf(user)}/previous`
export const restoreFolders = (user: string) => [RESTORES, folderOf(user)]

/** The parts of each of these folders. */
export const filesIn = (folder: string) => `${folder}/public`
export const dumpIn = (folder: string) => `${folder}/database.sql`
/** The dump, reduced to chosen tables. */
export const chosenIn = (folder: string) => `${folder}/chosen.sql`
export const accountIn = (folder: string) => `${folder}/account.json`
export const factsIn = (folder: string) => `${folder}/facts.json`
