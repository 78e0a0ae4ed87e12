/** Put in by scripts/build-agent.ts; what runs from its sources has neither. */
declare const HOSTING_PUBLISHER_KEY: string | undefined
declare const HOSTING_BUILD: number | undefined

/** Whose signature a new build of the agent must have, and which build this one is. */
export const published = {
  publisher_key: typeof HOSTING_PUBLISHER_KEY === 'undefined' ? undefined : HOSTING_PUBLISHER_KEY,
  build: typeof HOSTING_BUILD === 'undefined' ? 0 : HOSTING_BUILD,
}
