/** Bytes on their way. */
export interface Source {
  type: string
  /** Undefined at the end; throws where the rest is missing. */
  next(): Promise<Uint8Array | undefined>
  /** Called when the reader has left. */
  end(): Promise<void>
}

/** The bytes of a download, as fast as they are read. */
export function responseOf({ type, next, end }: Source): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await next()
        if (chunk) controller.enqueue(chunk)
        else controller.close()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'content-type': type } })
}
