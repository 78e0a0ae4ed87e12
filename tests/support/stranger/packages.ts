import { morePackages } from '#tests/support/lab/more-packages.ts'

/** What the installation of a dashboard takes from Debian beyond what every host is offered. */
export const panelPackages = () => morePackages('bookworm', ['git', 'certbot', 'caddy'])
