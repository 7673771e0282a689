/** Returns the object with some of its methods replaced. The other methods are called on the original object, which may
 *  be an instance of a class. */
export function replaceMethods<T extends object>(object: T, methods: Partial<T>): T {
  return new Proxy(object, {
    get(_, name) {
      const owner = name in methods ? methods : object
      const value = Reflect.get(owner, name)
      return typeof value === 'function' ? value.bind(owner) : value
    },
  })
}
