import { morePackages } from '#tests/support/lab/more-packages.ts'

/** Packages of a dashboard's installation beyond those offered to every host. */
export const panelPackages = () => morePackages('bookworm', ['git', 'certbot', 'caddy'])
