/** Whether an address leads to this machine, where no network can read what is sent. */
export const isLoopbackUrl = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || hostname === '127.0.0.1'
