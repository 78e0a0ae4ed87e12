/** Set by scripts/build-agent.ts; undefined when run from source. */
declare const HOSTING_PUBLISHER_KEY: string | undefined
declare const HOSTING_BUILD: number | undefined

/** The publisher's key for new builds, and the number of this build. */
export const publishedBuild = {
  publisher_key: typeof HOSTING_PUBLISHER_KEY === 'undefined' ? undefined : HOSTING_PUBLISHER_KEY,
  build: typeof HOSTING_BUILD === 'undefined' ? 0 : HOSTING_BUILD,
}
