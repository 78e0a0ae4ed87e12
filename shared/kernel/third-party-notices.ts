import notices from '#shared/third-party-notices.txt' with { type: 'text' }

/** The licenses of what the programs and the web UI contain, written by scripts/notices.ts. */
export const THIRD_PARTY_NOTICES: string = notices
