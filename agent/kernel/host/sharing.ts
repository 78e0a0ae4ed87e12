export interface Sharing<S> {
  /** The others wait for the end of one. */
  most: number
  /** Called when it has to wait. */
  waits?(): void
  /** Before the first one of those that run at once. */
  first(): Promise<S>
  /** After the last one of them. */
  last(state: S): Promise<void>
}
