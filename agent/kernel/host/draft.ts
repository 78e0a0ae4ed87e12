const DRAFT = /^\.[0-9a-f]{12}\.tmp$/

/** Returns the name of a file that is renamed as soon as it is complete. */
export const draftName = (bytes: Uint8Array): string => `.${Buffer.from(bytes).toString('hex')}.tmp`

export const isDraft = (name: string): boolean => DRAFT.test(name)
