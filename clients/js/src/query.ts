/** A query with the types of its data and variables, as graphql-codegen makes it (`documentMode: "string"`). */
export interface TypedQuery<Data, Variables> {
  toString(): string;
  readonly __apiType?: (variables: Variables) => Data;
}
