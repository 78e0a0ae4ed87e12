import { restoresOf as folderOf, RESTORES } from '#agent/kernel/site/paths.ts'

/** The parts that a restore has fetched from a backup, before it changes the site. */
export const fetchedOf = (user: string) => `${folderOf(user)}/fetched`
/** The replaced state of the site, until the operation is decided. */
export const replacedOf = (user: string) => `${folderOf(user)}/replaced`
/** The whole site, while some of its files are exchanged. */
export const exchangeFolderOf = (user: string) => `${folderOf(user)}/apart`
/** The state before the last restore that succeeded. */
export const previousOf = (user: string) => `${folderOf(user)}/previous`
export const restoreFolders = (user: string) => [RESTORES, folderOf(user)]

/** The names of the parts in each of these folders. */
export const filesIn = (folder: string) => `${folder}/public`
export const dumpIn = (folder: string) => `${folder}/database.sql`
export const chosenIn = (folder: string) => `${folder}/chosen.sql`
export const accountIn = (folder: string) => `${folder}/account.json`
export const factsIn = (folder: string) => `${folder}/facts.json`
/** The state before the last restore, while that of the present one takes its place. */
export const olderIn = (folder: string) => `${folder}/older`
