const DRAFT = /^\.[0-9a-f]{12}\.tmp$/

/** The name of a file that becomes another one by a rename as soon as it is whole. */
export const draftName = (bytes: Uint8Array): string => `.${Buffer.from(bytes).toString('hex')}.tmp`

export const isDraft = (name: string): boolean => DRAFT.test(name)
