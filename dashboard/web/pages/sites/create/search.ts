/** The parameters of the address. */
export interface CreateSearch {
  server_id?: number
}

export function readCreateSearch({ server_id }: Record<string, unknown>): CreateSearch {
  return /^[1-9]\d{0,14}$/.test(String(server_id)) ? { server_id: Number(server_id) } : {}
}
