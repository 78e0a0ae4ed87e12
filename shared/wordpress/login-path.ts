/** The path of the address of a site at which a token becomes a session of WordPress. */
export const LOGIN_PATH = '/.well-known/hosting-login'
